import { Checkbox, NumberInput, Select } from '@mantine/core'
import { PrimaryMetric } from '../../../contract/common.ts'
import { MAX_REPEATS } from '../../../contract/evidence/canonical-row.ts'
import { METRICS } from '../../../contract/metrics/metrics.ts'
import { metricName } from '../../components/format.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import { type OptionsProps, wholeNumber } from './option-fields.tsx'
import { problemOf } from './use-plan.ts'

const WORDS = NEW_RUN_WORDS.launchOptions

/** What is measured of the answers, and how often a question is asked. */
export function MeasureOptions({ experiment, draft, problems, onChange }: OptionsProps) {
  const set = (part: Partial<OptionsProps['draft']>): void => onChange({ ...draft, ...part })
  const { metrics } = experiment
  const always = METRICS.filter(({ class: kind }) => kind === 'retrieval' || kind === 'answer').map(
    ({ label }) => label,
  )
  return (
    <>
      <p className="dim">{WORDS.always(always)}</p>
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
            onChange={({ currentTarget: { checked } }) =>
              set({
                metrics: metrics
                  .map((each) => each.metric)
                  .filter((each) => (each === metric ? checked : draft.metrics.includes(each))),
              })
            }
          />
        ))}
      </div>
      <div className={styles.options}>
        <Select
          label={WORDS.primaryMetric}
          description={WORDS.primaryAbout}
          placeholder={experiment.primary_metric === null ? WORDS.firstOfRun : metricName(experiment.primary_metric)}
          data={PrimaryMetric.options.map((value) => ({ value, label: metricName(value) }))}
          value={draft.primaryMetric}
          onChange={(primaryMetric) => set({ primaryMetric })}
          clearable
          error={problemOf(problems, 'primary_metric')}
        />
        <NumberInput
          label={WORDS.answersPerQuestion}
          description={WORDS.repeatsAbout}
          min={1}
          max={MAX_REPEATS}
          value={draft.repeats}
          onChange={(value) => set({ repeats: wholeNumber(value, 1) })}
          error={problemOf(problems, 'repeats')}
        />
      </div>
      <Checkbox
        size="sm"
        label={WORDS.excludeCut}
        description={WORDS.excludeCutAbout}
        checked={draft.excludeCut}
        onChange={({ currentTarget: { checked } }) => set({ excludeCut: checked })}
      />
    </>
  )
}
