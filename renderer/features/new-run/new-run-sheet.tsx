import { Button, CloseButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useCanGoBack, useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ExperimentView } from '../../../contract/control/experiment.ts'
import { readLaunchSearch, type LaunchSearch, type SheetStep } from '../../app/search-params.ts'
import { api } from '../../data/client.ts'
import { ApproachesStep } from './approaches-step.tsx'
import { DataStep } from './data-step.tsx'
import { EffectsDialog } from './effects-dialog.tsx'
import { chosen, draftOf, type RunDraft, requestOf, searchOf } from './run-draft.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import { ModelsStep, setOf } from './models-step.tsx'
import { PlanPanel } from './plan-panel.tsx'
import { openingStep, SHEET_STEPS } from './sheet-steps.ts'
import { MoreOptions, STEP_OPTIONS } from './step-options.tsx'
import { problemOf, usePlan } from './use-plan.ts'
import { useSheetKeys } from './use-sheet-keys.ts'
import { useStartRun } from './use-start-run.ts'

const WORDS = NEW_RUN_WORDS.sheet

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The sheet itself wrote the address: what is typed meanwhile stays. */
    byLaunchForm?: boolean
  }
}

const MODIFIER = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl'

/** Fields of a link that belong to the details of a step: these are open where a link sets one of them. */
const RARE: Record<SheetStep, readonly (keyof LaunchSearch)[]> = {
  1: ['metrics', 'primary', 'repeats', 'excludeCut'],
  2: ['contextBudget', 'trace'],
  3: ['judge', 'judges', 'name', 'concurrency', 'budget', 'cold', 'publish'],
}

/** Steps choose these, by path in the request. */
const CHOICES: Record<SheetStep, string> = { 1: 'dataset_ids', 2: 'models', 3: 'model_set' }

/** Three steps with the plan beside each of them. The address holds all choices and the open step. */
export function NewRunSheet({ experiment }: { experiment: ExperimentView }) {
  const navigate = useNavigate({ from: '/launch' })
  const search = useSearch({ from: '/launch' })
  const { datasets, models } = chosen(experiment, search)
  const [draft, setDraft] = useState(() => draftOf(experiment, search))
  const { href, state: origin, search: linked } = useLocation()
  const link = origin.byLaunchForm === true ? null : href
  const [opened, setOpened] = useState(link)
  // Details open by what a link sets, and then only by hand.
  const [links, setLinks] = useState(0)
  if (link !== opened) {
    setOpened(link)
    // The location is ahead of `search`, which follows when the route is loaded.
    if (link !== null) {
      setDraft(draftOf(experiment, readLaunchSearch(linked)))
      setLinks(links + 1)
    }
  }
  const step = openingStep(search)
  const write = (next: LaunchSearch): void =>
    void navigate({ search: { step, ...next }, replace: true, state: { byLaunchForm: true } })
  const choose = (part: { datasets?: string[]; models?: string[] }): void =>
    write({ ...search, step, datasets, models, ...part })
  const change = (next: RunDraft): void => {
    setDraft(next)
    write({ ...search, step, ...searchOf(next, experiment) })
  }
  const goTo = (next: SheetStep): void => write({ ...search, step: next })
  const request = requestOf(draft, datasets, models)
  const state = usePlan(request)
  const start = useStartRun(request, state)
  const test = useMutation(api.models.test.mutationOptions({ meta: { refreshes: [api.experiment.key()] } }))
  const close = useClose()
  const sheet = useRef<HTMLElement>(null)
  const following = SHEET_STEPS.find((each) => each > step)
  const next = (): void => (following === undefined ? start.ask() : goTo(following))
  useSheetKeys(sheet, { next, run: start.ask, close })
  const labels = experiment.datasets.filter(({ id }) => datasets.includes(id)).map(({ label }) => label)
  const summaries: Record<SheetStep, string> = {
    1: WORDS.datasets(labels),
    2: WORDS.approaches(models.length),
    3: setOf(experiment.model_sets, draft.modelSet)?.name ?? draft.modelSet ?? '',
  }
  const bodies: Record<SheetStep, () => ReactNode> = {
    1: () => (
      <DataStep
        datasets={experiment.datasets}
        chosen={datasets}
        plans={state.plan?.datasets ?? []}
        onChange={(to) => choose({ datasets: to })}
      />
    ),
    2: () => <ApproachesStep aliases={experiment.aliases} chosen={models} onChange={(to) => choose({ models: to })} />,
    3: () => (
      <ModelsStep
        sets={experiment.model_sets}
        chosen={draft.modelSet}
        // The union of targets is narrowed: this sheet tests sets alone.
        test={test as Parameters<typeof ModelsStep>[0]['test']}
        onChange={(modelSet) => change({ ...draft, modelSet })}
      />
    ),
  }
  const problem = problemOf(state.problems, CHOICES[step])
  const Rare = STEP_OPTIONS[step]
  const runLabel = start.answers > 0 ? NEW_RUN_WORDS.planPanel.runAnswers(start.answers) : NEW_RUN_WORDS.planPanel.run
  return (
    <section ref={sheet} className={styles.sheet} aria-labelledby="new-run">
      <header className={styles.sheetHead}>
        <h1 id="new-run">{NEW_RUN_WORDS.page.newRun}</h1>
        <nav aria-label={WORDS.steps}>
          <ol className={styles.steps}>
            {SHEET_STEPS.map((each) => (
              <li key={each}>
                <button type="button" aria-current={each === step ? 'step' : undefined} onClick={() => goTo(each)}>
                  <b aria-hidden="true">{each}</b>
                  <span className="strong">{WORDS.names[each]}</span>
                  <span className="dim small ellipsis">{summaries[each]}</span>
                </button>
              </li>
            ))}
          </ol>
        </nav>
        <CloseButton aria-label={WORDS.close} onClick={close} />
      </header>
      <div className={styles.stepBody}>
        <StepHeading key={step} step={step} />
        {bodies[step]()}
        {problem !== undefined && <p className={styles.problem}>▲ {problem}</p>}
        <MoreOptions
          key={`${step} ${links}`}
          title={WORDS.more[step]}
          open={RARE[step].some((field) => readLaunchSearch(linked)[field] !== undefined)}
        >
          <Rare {...{ experiment, draft }} problems={state.problems} onChange={change} />
        </MoreOptions>
      </div>
      <PlanPanel
        request={request}
        set={setOf(experiment.model_sets, draft.modelSet)}
        state={state}
        startError={start.error}
        onNewName={() => change({ ...draft, name: '' })}
        onRetry={(retry) => change({ ...draft, retry })}
        actions={
          <div className={styles.actions}>
            {following !== undefined && (
              <Button variant="filled" onClick={next}>
                {WORDS.next(WORDS.names[following])}
              </Button>
            )}
            <Button
              variant={following === undefined ? 'filled' : 'default'}
              disabled={!start.isReady}
              loading={start.isStarting}
              onClick={start.ask}
            >
              {runLabel}
            </Button>
            <p className={styles.keys}>{following === undefined ? WORDS.runKey(MODIFIER) : WORDS.keys(MODIFIER)}</p>
          </div>
        }
      />
      {state.plan !== null && (
        <EffectsDialog plan={state.plan} opened={start.isAsking} onClose={start.keep} onConfirm={start.confirm} />
      )}
    </section>
  )
}

/** Gets the focus when its step opens, so that Tab leads into the step and a screen reader says where it is. */
function StepHeading({ step }: { step: SheetStep }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h2 ref={heading} tabIndex={-1} className={styles.stepHeading}>
      {WORDS.asks[step]}
      <span className="hidden-text"> {WORDS.step(step, SHEET_STEPS.length)}</span>
    </h2>
  )
}

/** Back to the page that the sheet was opened from; to the list of runs where it was opened by its address. */
function useClose(): () => void {
  const router = useRouter()
  const navigate = useNavigate()
  const canGoBack = useCanGoBack()
  return () => (canGoBack ? router.history.back() : void navigate({ to: '/runs' }))
}
