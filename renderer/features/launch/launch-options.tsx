import { Checkbox, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { PrimaryMetric } from '../../../contract/common.ts'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { ExperimentView, ModelSetView } from '../../../contract/control/experiment.ts'
import { MAX_REPEATS } from '../../../contract/evidence/canonical-row.ts'
import { DEFAULT_TRACE_LEVEL, TraceLevel } from '../../../contract/evidence/trace.ts'
import { MAX_CONCURRENCY } from '../../../contract/manifests/evaluation.ts'
import { LOCAL_EMBEDDINGS } from '../../../contract/manifests/model-catalogue.ts'
import { METRICS } from '../../../contract/metrics/metrics.ts'
import { CloudMark } from '../../components/cloud-mark.tsx'
import { metricName } from '../../components/format.ts'
import { EmbeddingsOffer } from '../models/embeddings-offer.tsx'
import type { LaunchDraft } from './launch-draft.ts'
import { problemOf } from './use-plan.ts'
import styles from './launch.module.css'
import { LAUNCH_WORDS } from './launch-words.ts'

const WORDS = LAUNCH_WORDS.launchOptions

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
        [contexts && WORDS.needsContexts, truth && WORDS.needsGroundTruth].filter(Boolean).join(' · ') || undefined
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
  const isChosen = ({ name, is_default: isDefault }: ModelSetView): boolean =>
    draft.modelSet === null ? isDefault : name === draft.modelSet
  const setUp = panel.settings.models
  const { judges } = draft
  const always = METRICS.filter(({ class: kind }) => kind === 'retrieval' || kind === 'answer').map(
    ({ label }) => label,
  )
  const unlessChosen = setUp.length > 0 ? WORDS.unlessChosen(setUp.join(', ')) : WORDS.noJudges
  return (
    <div className={styles.stack}>
      <p className="dim">{WORDS.always(always)}</p>
      <div className={styles.choices}>
        <Metrics {...{ experiment, draft, onChange }} />
        <Checkbox
          size="sm"
          label={WORDS.blindedJudgePanel}
          description={panel.problem ?? WORDS.judgesAbout}
          checked={draft.judge}
          onChange={({ currentTarget: { checked } }) =>
            // A panel that nothing names would be wrong at once: the built-in judges are the first choice.
            set({
              judge: checked,
              ...(checked && judges.length === 0 && setUp.length === 0 ? { judges: panel.builtin } : {}),
            })
          }
        />
      </div>
      <div className={styles.options}>
        <TagsInput
          label={WORDS.judges}
          description={draft.judge ? unlessChosen : WORDS.onlyWithPanel}
          disabled={!draft.judge}
          data={[...new Set([...panel.builtin, ...panel.settings.models])]}
          placeholder={draft.judges.length === 0 && setUp.length > 0 ? WORDS.asSetUp : ''}
          value={draft.judges}
          onChange={(judges) => set({ judges })}
          error={problemOf(problems, 'judge')}
        />
        <TextInput
          label={WORDS.runName}
          description={WORDS.runNameAbout}
          placeholder={WORDS.fromTime}
          value={draft.runId}
          onChange={({ currentTarget: { value } }) => set({ runId: value })}
          error={problemOf(problems, 'run_id')}
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
        <NumberInput
          label={WORDS.concurrency}
          description={WORDS.concurrencyAbout}
          min={1}
          max={MAX_CONCURRENCY}
          placeholder={String(experiment.run.concurrency)}
          value={draft.concurrency ?? ''}
          onChange={(value) => set({ concurrency: value === '' ? null : wholeNumber(value, 1) })}
          error={problemOf(problems, 'concurrency')}
        />
        <NumberInput
          label={WORDS.contextBudget}
          description={WORDS.contextBudgetAbout}
          min={1}
          step={500}
          placeholder={String(experiment.run.context_budget)}
          disabled={draft.contextBudget === 'none'}
          value={draft.contextBudget === 'none' ? '' : (draft.contextBudget ?? '')}
          onChange={(value) => set({ contextBudget: typeof value === 'number' ? value : null })}
          error={problemOf(problems, 'context_budget')}
        />
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
        <Select
          label={WORDS.trace}
          description={WORDS.traceAbout}
          placeholder={WORDS.traces[experiment.run.trace ?? DEFAULT_TRACE_LEVEL]}
          data={TraceLevel.options.map((value) => ({ value, label: WORDS.traces[value] }))}
          value={draft.trace}
          onChange={(trace) => set({ trace })}
          clearable
          error={problemOf(problems, 'trace')}
        />
        <NumberInput
          label={WORDS.budget}
          description={WORDS.budgetAbout}
          min={0}
          placeholder={WORDS.noBudget}
          value={draft.budget ?? ''}
          onChange={(value) => set({ budget: typeof value === 'number' && value > 0 ? value : null })}
          error={problemOf(problems, 'budget')}
        />
        <Select
          label={WORDS.modelSet}
          description={
            <>
              {WORDS.embeddedOnly} <CloudMark set={sets.find(isChosen)} />
              {knownOf(sets.find(isChosen)).map((words) => (
                <span key={words} className={styles.known}>
                  {words}
                </span>
              ))}
            </>
          }
          placeholder={sets.find(({ is_default: isDefault }) => isDefault)?.name ?? WORDS.defaultSet}
          data={sets.map(({ name }) => name)}
          value={draft.modelSet}
          onChange={(modelSet) => set({ modelSet })}
          clearable
          error={problemOf(problems, 'model_set')}
        />
      </div>
      <EmbeddingsOffer
        sets={sets}
        current={sets.find(isChosen)}
        onUse={() => set({ modelSet: LOCAL_EMBEDDINGS.set })}
      />
      <div className={styles.choices}>
        <Checkbox
          size="sm"
          label={WORDS.asDeclared}
          description={WORDS.asDeclaredAbout}
          checked={draft.contextBudget === 'none'}
          onChange={({ currentTarget: { checked } }) => set({ contextBudget: checked ? 'none' : null })}
        />
        <Checkbox
          size="sm"
          label={WORDS.excludeCut}
          description={WORDS.excludeCutAbout}
          checked={draft.excludeCut}
          onChange={({ currentTarget: { checked } }) => set({ excludeCut: checked })}
        />
        <Checkbox
          size="sm"
          label={WORDS.coldStart}
          description={WORDS.coldAbout}
          checked={draft.coldReset}
          onChange={({ currentTarget: { checked } }) => set({ coldReset: checked })}
        />
        <Checkbox
          size="sm"
          label={WORDS.publish}
          description={WORDS.publishAbout}
          checked={draft.publish}
          onChange={({ currentTarget: { checked } }) => set({ publish: checked })}
        />
      </div>
    </div>
  )
}

/** Returns what calls have taught of the models of a set, a line each. */
function knownOf(set: ModelSetView | undefined): string[] {
  const models = Object.values(set?.roles ?? {}).filter(({ known }) => known.length > 0)
  return [...new Set(models.map(({ model, known }) => `${model}: ${known.join(' · ')}`))]
}
