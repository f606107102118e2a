import { Button, Checkbox } from '@mantine/core'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DatasetView, ExperimentView } from '../../../contract/control/experiment.ts'
import { readLaunchSearch, type LaunchSearch } from '../../app/search-params.ts'
import { plural } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { AliasChoice } from './alias-choice.tsx'
import { chosen, draftOf, type LaunchDraft, requestOf, searchOf } from './launch-draft.ts'
import { LaunchOptions } from './launch-options.tsx'
import styles from './launch.module.css'
import { PlanPanel } from './plan-panel.tsx'
import { problemOf, usePlan } from './use-plan.ts'
import { LAUNCH_WORDS } from './launch-words.ts'

const WORDS = LAUNCH_WORDS.launchForm

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The form itself wrote the address: what is typed meanwhile stays. */
    byLaunchForm?: boolean
  }
}

/** Choices on the left; on the right what they would do. The address holds all of them. */
export function LaunchForm({ experiment }: { experiment: ExperimentView }) {
  const navigate = useNavigate({ from: '/launch' })
  const search = useSearch({ from: '/launch' })
  const { datasets, models } = chosen(experiment, search)
  const [draft, setDraft] = useState(() => draftOf(experiment, search))
  const { href, state: origin, search: linked } = useLocation()
  const link = origin.byLaunchForm === true ? null : href
  const [opened, setOpened] = useState(link)
  if (link !== opened) {
    setOpened(link)
    // The location is ahead of `search`, which follows when the route is loaded.
    if (link !== null) setDraft(draftOf(experiment, readLaunchSearch(linked)))
  }
  const write = (next: LaunchSearch): void =>
    void navigate({ search: next, replace: true, state: { byLaunchForm: true } })
  const choose = (part: { datasets?: string[]; models?: string[] }): void =>
    write({ ...search, datasets, models, ...part })
  const change = (next: LaunchDraft): void => {
    setDraft(next)
    write({ ...search, ...searchOf(next, experiment) })
  }
  const request = requestOf(draft, datasets, models)
  const state = usePlan(request)
  const aliases = experiment.aliases
  const sets: [string, string[]][] = [
    [WORDS.none, []],
    [WORDS.canonical, aliases.filter(({ canonical }) => canonical).map(({ alias }) => alias)],
    [WORDS.allBases, aliases.filter(({ flavor }) => flavor === null).map(({ alias }) => alias)],
    [WORDS.all, aliases.map(({ alias }) => alias)],
  ]
  // Rung 0 is asked for by itself, and counts in no ladder.
  const ladder = experiment.datasets.filter(({ complexity_level: level }) => level > 0)
  const rungSets: [string, string[]][] = [
    [WORDS.noRung, []],
    [WORDS.allRungs, ladder.map(({ id }) => id)],
  ]
  return (
    <div className={styles.layout}>
      <div className={styles.stack}>
        <Panel
          title={WORDS.rungs}
          aside={
            <>
              <span>{plural(datasets.length, 'rung')}</span>
              {rungSets.map(([name, set]) => (
                <Button key={name} size="compact-xs" variant="default" onClick={() => choose({ datasets: set })}>
                  {name}
                </Button>
              ))}
            </>
          }
        >
          <DatasetChoice
            datasets={experiment.datasets}
            chosen={datasets}
            onChange={(next) => choose({ datasets: next })}
          />
          <Problem text={problemOf(state.problems, 'dataset_ids')} />
        </Panel>
        <Panel
          title={WORDS.approachesAndFlavors}
          aside={
            <>
              <span>{WORDS.chosen(models.length)}</span>
              {sets.map(([name, set]) => (
                <Button key={name} size="compact-xs" variant="default" onClick={() => choose({ models: set })}>
                  {name}
                </Button>
              ))}
            </>
          }
        >
          <AliasChoice aliases={aliases} chosen={models} onChange={(next) => choose({ models: next })} />
          <Problem text={problemOf(state.problems, 'models')} />
        </Panel>
        <Panel title={WORDS.metricsAndRun}>
          <LaunchOptions {...{ experiment, draft }} problems={state.problems} onChange={change} />
        </Panel>
      </div>
      <div className={styles.sticky}>
        <PlanPanel
          request={request}
          state={state}
          onNewName={() => change({ ...draft, runId: '' })}
          onRetry={(retryFailed) => change({ ...draft, retryFailed })}
        />
      </div>
    </div>
  )
}

function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return <p className={styles.problem}>▲ {text}</p>
}

interface DatasetChoiceProps {
  datasets: DatasetView[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** Rungs in ladder order. */
function DatasetChoice({ datasets, chosen, onChange }: DatasetChoiceProps) {
  const order = datasets.toSorted((a, b) => a.complexity_level - b.complexity_level)
  return (
    <div className={styles.choices}>
      {order.map(({ id, label, description, questions, complexity_level: level }) => (
        <Checkbox
          key={id}
          size="sm"
          label={WORDS.rung(label, level, questions)}
          description={description}
          checked={chosen.includes(id)}
          onChange={({ currentTarget }) =>
            onChange(
              order
                .map((dataset) => dataset.id)
                .filter((each) => (each === id ? currentTarget.checked : chosen.includes(each))),
            )
          }
        />
      ))}
    </div>
  )
}
