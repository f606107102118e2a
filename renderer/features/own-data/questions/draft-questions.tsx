import { Button, MultiSelect, NumberInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { MAX_DRAFTS, type DraftPlan, type DraftStep } from '../../../../contract/control/drafted-questions.ts'
import { QuestionClass } from '../../../../contract/question-classes.ts'
import { DialogButton, DialogForm } from '../../../components/dialog-form.tsx'
import { formFields } from '../../../components/form-fields.ts'
import { api, control } from '../../../data/client.ts'
import { DRAFT_WORDS as WORDS } from './draft-words.ts'
import styles from '../own-data.module.css'
import { DATASET_QUERIES } from '../use-own-dataset.ts'

const USUAL_COUNT = 12
const MOST_LISTED = 1000
/** Typing a number asks for no plan of each digit. */
const PLAN_AFTER_MS = 300

/** Opens the dialog in which a model drafts questions. */
export const DraftQuestions = ({ dataset }: { dataset: string }) => (
  <DialogButton label={WORDS.open} title={WORDS.title}>
    {(close) => <DraftForm dataset={dataset} onClose={close} />}
  </DialogButton>
)

function DraftForm({ dataset, onClose }: { dataset: string; onClose: () => void }) {
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
  const field = formFields({ words: WORDS, draft: wish, onChange: (part) => setWish({ ...wish, ...part }) })
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
    meta: { refreshes: DATASET_QUERIES },
  })
  if (run.isSuccess && step?.type === 'done') return <DraftDone step={step} onClose={onClose} />
  // A plan of other numbers than those in the fields is not confirmed by this button.
  const isCurrent = JSON.stringify(planned) === JSON.stringify(input) && !plan.isPlaceholderData
  const problem = run.error ?? plan.error
  return (
    <DialogForm
      submit={plan.data?.leaves_machine === true ? WORDS.send : WORDS.start}
      cancel={run.isPending ? WORDS.stop : undefined}
      isReady={isCurrent && plan.data !== undefined}
      isPending={run.isPending}
      problem={problem}
      onCancel={() => (run.isPending ? stop.current?.abort() : onClose())}
      onSubmit={() => plan.data !== undefined && run.mutate(plan.data.calls)}
    >
      <p>{WORDS.about}</p>
      <div className={styles.chunks}>
        <NumberInput
          {...field.number('count')}
          min={1}
          max={MAX_DRAFTS}
          allowDecimal={false}
          data-autofocus
          onChange={(value) => setWish({ ...wish, count: Math.min(MAX_DRAFTS, Math.max(1, Number(value) || 1)) })}
        />
        <MultiSelect
          {...field.list('classes')}
          data={QuestionClass.options.map((name) => ({ value: name, label: WORDS.classLabel(name) }))}
          onChange={(names) => setWish({ ...wish, classes: names.map((name) => QuestionClass.parse(name)) })}
        />
      </div>
      <MultiSelect
        {...field.list('documents')}
        placeholder={wish.documents.length === 0 ? WORDS.allDocuments : undefined}
        searchable
        limit={100}
        data={paths}
      />
      {plan.isPending && <p role="status">◐ {WORDS.planning}</p>}
      {plan.data !== undefined && problem === null && <PlanLines plan={plan.data} />}
      {run.isPending && <p role="status">◐ {step?.type === 'progress' ? WORDS.progress(step) : WORDS.starting}</p>}
    </DialogForm>
  )
}

/** Shows what would be called, and whether anything leaves this machine: shown before the button is pressed. */
function PlanLines({ plan }: { plan: DraftPlan }) {
  const cost = WORDS.cost(plan)
  return (
    <section aria-label={WORDS.thePlan} className="stack tight">
      <p>{WORDS.plan(plan)}</p>
      {plan.unread_documents > 0 && <p className="dim">{WORDS.unread(plan.unread_documents)}</p>}
      {plan.leaves_machine && <p>{WORDS.leaves(plan)}</p>}
      {cost !== null && <p>{cost}</p>}
    </section>
  )
}

function DraftDone({ step, onClose }: { step: Extract<DraftStep, { type: 'done' }>; onClose: () => void }) {
  return (
    <div className="stack">
      <p role="status">● {WORDS.done(step.drafted, step.repaired)}</p>
      {step.dropped.length > 0 && (
        <ul>
          {step.dropped.map(({ count, reason }) => (
            <li key={reason}>{WORDS.dropped(count, reason)}</li>
          ))}
        </ul>
      )}
      <div className="buttons">
        <Button variant="filled" onClick={onClose}>
          {WORDS.close}
        </Button>
      </div>
    </div>
  )
}
