import { Checkbox, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { ExperimentView } from '../../../contract/control/experiment.ts'
import { MAX_REPEATS } from '../../../contract/evidence/canonical-row.ts'
import { metricName } from '../../components/format.ts'
import type { LaunchDraft } from './launch-draft.ts'
import { problemOf } from './use-plan.ts'
import styles from './launch.module.css'

interface LaunchOptionsProps {
  experiment: ExperimentView
  draft: LaunchDraft
  problems: readonly InputProblem[]
  onChange: (draft: LaunchDraft) => void
}

const wholeNumber = (value: string | number, fallback: number): number =>
  typeof value === 'number' && Number.isInteger(value) ? value : fallback

function Metrics({ experiment: { metrics }, draft, onChange }: Omit<LaunchOptionsProps, 'problems'>) {
  return metrics.map(({ metric, needs_contexts: contexts, needs_ground_truth: truth }) => (
    <Checkbox
      key={metric}
      size="sm"
      label={metricName(metric)}
      description={
        [contexts && 'needs contexts', truth && 'needs ground truth'].filter(Boolean).join(' · ') || undefined
      }
      checked={draft.metrics.includes(metric)}
      onChange={({ currentTarget: { checked } }) =>
        onChange({
          ...draft,
          metrics: metrics
            .map((each) => each.metric)
            .filter((each) => (each === metric ? checked : draft.metrics.includes(each))),
        })
      }
    />
  ))
}

/** Metrics, judges, and how the run goes. What is wrong with a field is shown below it. */
export function LaunchOptions({ experiment, draft, problems, onChange }: LaunchOptionsProps) {
  const set = (part: Partial<LaunchDraft>): void => onChange({ ...draft, ...part })
  const { judge_panel: panel, model_sets: sets } = experiment
  const setUp = panel.settings.models
  const unlessChosen = setUp.length > 0 ? `Unless chosen: ${setUp.join(', ')}` : 'None is set up: choose two or more'
  return (
    <div className={styles.stack}>
      <div className={styles.choices}>
        <Metrics {...{ experiment, draft, onChange }} />
        <Checkbox
          size="sm"
          label="Blinded judge panel"
          description={panel.problem ?? 'answers without names, in an order of each judge’s own'}
          checked={draft.judge}
          onChange={({ currentTarget: { checked } }) => set({ judge: checked })}
        />
      </div>
      <div className={styles.options}>
        <TagsInput
          label="Judges"
          description={draft.judge ? unlessChosen : 'Only with the judge panel'}
          disabled={!draft.judge}
          data={[...new Set([...panel.builtin, ...panel.settings.models])]}
          placeholder={draft.judges.length === 0 && setUp.length > 0 ? 'as set up' : ''}
          value={draft.judges}
          onChange={(judges) => set({ judges })}
          error={problemOf(problems, 'judge')}
        />
        <TextInput
          label="Run name"
          description="An existing name resumes that run"
          placeholder="from the time of day"
          value={draft.runId}
          onChange={({ currentTarget: { value } }) => set({ runId: value })}
          error={problemOf(problems, 'run_id')}
        />
        <NumberInput
          label="Answers per question"
          description="More than 1 shows how far answers vary"
          min={1}
          max={MAX_REPEATS}
          value={draft.repeats}
          onChange={(value) => set({ repeats: wholeNumber(value, 1) })}
          error={problemOf(problems, 'repeats')}
        />
        <NumberInput
          label="Cells at a time"
          description="More is faster and shifts latencies"
          min={1}
          max={32}
          placeholder={String(experiment.run.concurrency)}
          value={draft.concurrency ?? ''}
          onChange={(value) => set({ concurrency: value === '' ? null : wholeNumber(value, 1) })}
          error={problemOf(problems, 'concurrency')}
        />
        <Select
          label="Model set"
          description="Of the embedded platform"
          placeholder={sets.find(({ is_default: isDefault }) => isDefault)?.name ?? 'default'}
          data={sets.map(({ name }) => name)}
          value={draft.modelSet}
          onChange={(modelSet) => set({ modelSet })}
          clearable
          error={problemOf(problems, 'model_set')}
        />
      </div>
      <div className={styles.choices}>
        <Checkbox
          size="sm"
          label="Cold start"
          description="Deletes this run's working files and collections first"
          checked={draft.coldReset}
          onChange={({ currentTarget: { checked } }) => set({ coldReset: checked })}
        />
        <Checkbox
          size="sm"
          label="Publish"
          description="Copies validated artifacts to docs/results"
          checked={draft.publish}
          onChange={({ currentTarget: { checked } }) => set({ publish: checked })}
        />
      </div>
    </div>
  )
}
