import { Button, Modal, MultiSelect, NumberInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { controlErrorOf } from '../../../../contract/control/control-error.ts'
import { MAX_DRAFTS, type DraftPlan, type DraftStep } from '../../../../contract/control/drafted-questions.ts'
import { QuestionClass } from '../../../../contract/question-classes.ts'
import { api, control } from '../../../data/client.ts'
import { DRAFT_WORDS as WORDS } from './draft-words.ts'
import styles from '../own-data.module.css'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const USUAL_COUNT = 12
const MOST_LISTED = 1000
/** Typing a number asks for no plan of each digit. */
const PLAN_AFTER_MS = 300

/** Opens the dialog in which a model drafts questions. */
export function DraftQuestions({ dataset }: { dataset: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.open}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.title} size="lg" centered>
        <DraftForm dataset={dataset} onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function DraftForm({ dataset, onClose }: { dataset: string; onClose: () => void }) {
  const refresh = useDatasetRefresh()
  const [wish, setWish] = useState({
    count: USUAL_COUNT,
    classes: ['one_fact'] as QuestionClass[],
    documents: [] as string[],
  })
  const input = {
    dataset_id: dataset,
    count: wish.count,
    ...(wish.classes.length === 0 ? {} : { classes: wish.classes }),
    ...(wish.documents.length === 0 ? {} : { documents: wish.documents }),
  }
  const [planned] = useDebouncedValue(input, PLAN_AFTER_MS)
  const plan = useQuery({
    ...api.datasets.draftPlan.queryOptions({ input: planned }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const paths =
    useQuery(
      api.datasets.documents.queryOptions({ input: { dataset_id: dataset, limit: MOST_LISTED } }),
    ).data?.documents.map(({ path }) => path) ?? []
  const [step, setStep] = useState<DraftStep | null>(null)
  const stop = useRef<AbortController | null>(null)
  // Closing the dialog stops it; what was drafted before is kept.
  useEffect(() => () => stop.current?.abort(), [])
  const run = useMutation({
    mutationFn: async (confirmed: number) => {
      stop.current = new AbortController()
      setStep(null)
      const { signal } = stop.current
      try {
        for await (const next of await control.datasets.draft({ ...input, confirmed_calls: confirmed }, { signal }))
          setStep(next)
      } catch (error) {
        // A stop by the person is not a failure.
        if (!signal.aborted) throw error
      }
    },
    onSettled: () => refresh(),
  })
  if (run.isSuccess && step?.type === 'done') return <DraftDone step={step} onClose={onClose} />
  // A plan of other numbers than those in the fields is not confirmed by this button.
  const isCurrent = JSON.stringify(planned) === JSON.stringify(input) && !plan.isPlaceholderData
  const problem = run.error ?? plan.error
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (plan.data !== undefined) run.mutate(plan.data.calls)
      }}
    >
      <p>{WORDS.about}</p>
      <div className={styles.chunks}>
        <NumberInput
          label={WORDS.count}
          description={WORDS.countAbout}
          min={1}
          max={MAX_DRAFTS}
          allowDecimal={false}
          data-autofocus
          value={wish.count}
          onChange={(value) => setWish({ ...wish, count: Math.min(MAX_DRAFTS, Math.max(1, Number(value) || 1)) })}
        />
        <MultiSelect
          label={WORDS.classes}
          description={WORDS.classesAbout}
          data={QuestionClass.options.map((name) => ({ value: name, label: WORDS.classLabel(name) }))}
          value={wish.classes}
          onChange={(names) => setWish({ ...wish, classes: names.map((name) => QuestionClass.parse(name)) })}
        />
      </div>
      <MultiSelect
        label={WORDS.documents}
        description={WORDS.documentsAbout}
        placeholder={wish.documents.length === 0 ? WORDS.allDocuments : undefined}
        searchable
        limit={100}
        data={paths}
        value={wish.documents}
        onChange={(documents) => setWish({ ...wish, documents })}
      />
      {plan.isPending && <p role="status">◐ {WORDS.planning}</p>}
      {plan.data !== undefined && problem === null && <PlanLines plan={plan.data} />}
      {problem !== null && <p role="alert">▲ {controlErrorOf(problem).message}</p>}
      {run.isPending && <p role="status">◐ {step?.type === 'progress' ? WORDS.progress(step) : WORDS.starting}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={() => (run.isPending ? stop.current?.abort() : onClose())}>
          {run.isPending ? WORDS.stop : WORDS.cancel}
        </Button>
        <Button type="submit" loading={run.isPending} disabled={!isCurrent || plan.data === undefined}>
          {plan.data?.leaves_machine === true ? WORDS.send : WORDS.start}
        </Button>
      </div>
    </form>
  )
}

/** Shows what would be called, and whether anything leaves this machine: shown before the button is pressed. */
function PlanLines({ plan }: { plan: DraftPlan }) {
  const cost = WORDS.cost(plan)
  return (
    <section aria-label={WORDS.thePlan} className={styles.progress}>
      <p>{WORDS.plan(plan)}</p>
      {plan.unread_documents > 0 && <p className="dim">{WORDS.unread(plan.unread_documents)}</p>}
      {plan.leaves_machine && <p>{WORDS.leaves(plan)}</p>}
      {cost !== null && <p>{cost}</p>}
    </section>
  )
}

function DraftDone({ step, onClose }: { step: Extract<DraftStep, { type: 'done' }>; onClose: () => void }) {
  return (
    <div className={styles.form}>
      <p role="status">● {WORDS.done(step.drafted, step.repaired)}</p>
      {step.dropped.length > 0 && (
        <ul>
          {step.dropped.map(({ count, reason }) => (
            <li key={reason}>{WORDS.dropped(count, reason)}</li>
          ))}
        </ul>
      )}
      <div className={styles.buttons}>
        <Button onClick={onClose}>{WORDS.close}</Button>
      </div>
    </div>
  )
}
