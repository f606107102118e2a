import { Checkbox, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { PrimaryMetric } from '../../../contract/common.ts'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { ExperimentView } from '../../../contract/control/experiment.ts'
import { MAX_REPEATS } from '../../../contract/evidence/canonical-row.ts'
import { DEFAULT_TRACE_LEVEL, TraceLevel } from '../../../contract/evidence/trace.ts'
import { MAX_CONCURRENCY } from '../../../contract/manifests/evaluation.ts'
import { METRICS, metricOfId } from '../../../contract/metrics/metrics.ts'
import { VALIDATED_GRADES } from '../../../contract/validated-grades.ts'
import { formFields } from '../../components/form-fields.ts'
import { metricName } from '../../components/format.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import type { RunDraft } from './run-draft.ts'
import { problemOf } from './use-plan.ts'

const WORDS = NEW_RUN_WORDS.options

interface OptionsProps {
  experiment: ExperimentView
  draft: RunDraft
  problems: readonly InputProblem[]
  onChange: (draft: RunDraft) => void
}

/** Paths of the request, by the field that shows what is wrong there. */
const PATHS: Partial<Record<keyof RunDraft, string>> = {
  name: 'run_id',
  primary: 'primary_metric',
  repeats: 'repeats',
  judges: 'judge',
  concurrency: 'concurrency',
  contextBudget: 'context_budget',
  trace: 'trace',
  budget: 'budget',
}

const fieldsOf = ({ draft, problems, onChange }: OptionsProps) =>
  formFields({
    words: WORDS,
    draft,
    onChange: (part) => onChange({ ...draft, ...part }),
    problems: Object.fromEntries(Object.entries(PATHS).map(([name, path]) => [name, problemOf(problems, path)])),
  })

/** Rare choices of a step: closed at first, unless one of them was made. */
export function MoreOptions({ title, open, children }: { title: string; open: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details className={styles.more} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      <div className={styles.moreBody}>{children}</div>
    </details>
  )
}

/** Sets what is measured, and how often a question is asked. */
function MeasureOptions(props: OptionsProps) {
  const { experiment, draft, onChange } = props
  const field = fieldsOf(props)
  const { metrics } = experiment
  const always = METRICS.filter(({ class: kind }) => kind === 'retrieval' || kind === 'answer')
  return (
    <>
      <p className="dim">{WORDS.always(always.map(({ label }) => label))}</p>
      <div className={styles.choices}>
        {metrics.map(({ metric, needs_contexts: contexts, needs_ground_truth: truth }) => (
          <Checkbox
            key={metric}
            size="sm"
            label={metricName(metric)}
            description={
              [contexts && WORDS.needsContexts, truth && WORDS.needsGroundTruth].filter(Boolean).join(' · ') ||
              undefined
            }
            checked={draft.metrics.includes(metric)}
            onChange={() => {
              const chosen = new Set(draft.metrics).symmetricDifference(new Set([metric]))
              onChange({ ...draft, metrics: metrics.map((each) => each.metric).filter((each) => chosen.has(each)) })
            }}
          />
        ))}
      </div>
      <div className="fields">
        <Select
          {...field.optional('primary')}
          placeholder={experiment.primary_metric === null ? WORDS.firstOfRun : metricName(experiment.primary_metric)}
          data={PrimaryMetric.options.map((value) =>
            decides(value)
              ? { value, label: metricName(value) }
              : { value, label: WORDS.notValidated(metricName(value)), disabled: true },
          )}
        />
        <NumberInput
          {...field.number('repeats')}
          min={1}
          max={MAX_REPEATS}
          onChange={(value) => onChange({ ...draft, repeats: wholeNumber(value) })}
        />
      </div>
      <Checkbox size="sm" {...field.check('excludeCut')} />
    </>
  )
}

/** False for a graded metric of which no grader is validated: a run would have nothing to decide by. */
const decides = (id: PrimaryMetric): boolean =>
  metricOfId(id).ranking !== 'when_validated' || VALIDATED_GRADES.some(({ metric }) => metric === id)

const wholeNumber = (value: string | number): number =>
  typeof value === 'number' && Number.isInteger(value) ? value : 1

/** Sets how much text approaches hand over, and what is kept of calls. */
function TextOptions(props: OptionsProps) {
  const { experiment, draft, onChange } = props
  const field = fieldsOf(props)
  const isUnlimited = draft.contextBudget === 'none'
  return (
    <>
      <div className="fields">
        <NumberInput
          {...field.any('contextBudget')}
          min={1}
          step={500}
          placeholder={String(experiment.run.context_budget)}
          disabled={isUnlimited}
          value={draft.contextBudget === 'none' ? '' : (draft.contextBudget ?? '')}
          onChange={(value) => onChange({ ...draft, contextBudget: typeof value === 'number' ? value : null })}
        />
        <Select
          {...field.optional('trace')}
          placeholder={WORDS.traces[experiment.run.trace ?? DEFAULT_TRACE_LEVEL]}
          data={TraceLevel.options.map((value) => ({ value, label: WORDS.traces[value] }))}
        />
      </div>
      <Checkbox
        size="sm"
        label={WORDS.asDeclared}
        description={WORDS.asDeclaredAbout}
        checked={isUnlimited}
        onChange={() => onChange({ ...draft, contextBudget: isUnlimited ? null : 'none' })}
      />
    </>
  )
}

/** Judges, limits, the name of the run, and what it replaces. */
function RunOptions(props: OptionsProps) {
  const { experiment, draft, onChange } = props
  const field = fieldsOf(props)
  const { judge_panel: panel } = experiment
  const setUp = panel.settings.models
  const unlessChosen = setUp.length > 0 ? WORDS.unlessChosen(setUp.join(', ')) : WORDS.noJudges
  return (
    <>
      <Checkbox
        size="sm"
        {...field.check('judge')}
        description={panel.problem ?? WORDS.judgeAbout}
        onChange={({ currentTarget: { checked } }) => {
          // A panel that nothing names would be wrong at once: the built-in judges are the first choice.
          const isNamed = draft.judges.length > 0 || setUp.length > 0
          onChange({ ...draft, judge: checked, ...(checked && !isNamed ? { judges: panel.builtin } : {}) })
        }}
      />
      <div className="fields">
        <TagsInput
          {...field.list('judges')}
          description={draft.judge ? unlessChosen : WORDS.onlyWithPanel}
          disabled={!draft.judge}
          data={[...new Set([...panel.builtin, ...setUp])]}
          placeholder={draft.judges.length === 0 && setUp.length > 0 ? WORDS.asSetUp : ''}
        />
        <TextInput {...field.text('name')} />
        <NumberInput
          {...field.number('concurrency')}
          min={1}
          max={MAX_CONCURRENCY}
          placeholder={String(experiment.run.concurrency)}
        />
        <NumberInput {...field.number('budget')} min={0} />
      </div>
      <div className={styles.choices}>
        <Checkbox size="sm" {...field.check('cold')} />
        <Checkbox size="sm" {...field.check('publish')} />
      </div>
    </>
  )
}

/** The rare choices of each step. */
export const STEP_OPTIONS = { 1: MeasureOptions, 2: TextOptions, 3: RunOptions }
