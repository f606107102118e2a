import { useQuery } from '@tanstack/react-query'
import type { RunSummary } from '../../../contract/control/run-index/runs.ts'
import type { RunJob } from '../../../contract/control/run-job.ts'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { FactTable } from '../../components/tables.tsx'
import { count, metricName } from '../../components/format.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { RUNS_WORDS } from './runs-words.ts'

const WORDS = RUNS_WORDS.fact

type Fact = readonly [name: string, value: string]

/** Returns what was asked for, as the journal has it. */
function requestFacts({ request, retry_of: retry }: RunJob): Fact[] {
  const { metrics, concurrency, repeats } = request
  return [
    [WORDS.repeats, count(repeats)],
    ...(metrics === undefined
      ? []
      : [[WORDS.metrics, metrics.map(metricName).join(', ') || WORDS.noMetrics] satisfies Fact]),
    ...(concurrency === undefined ? [] : [[WORDS.concurrency, count(concurrency)] satisfies Fact]),
    ...(retry === null ? [] : [[WORDS.retryOf, retry.run_id] satisfies Fact]),
  ]
}

/** Returns what the rows were made under. */
function conditionFacts({ datasets }: RunSummary): Fact[] {
  const shown = datasets.flatMap(({ label, conditions: shared }) => (shared === null ? [] : [{ label, ...shared }]))
  const [first] = shown
  if (first === undefined) return []
  const { models, judge_panel: panel, gateway, platform, repository } = first.runtime
  const conditions = Math.max(...datasets.map(({ provenance }) => provenance.length))
  const revision = repository.revision ?? '–'
  return [
    ...(conditions > 1 ? [[WORDS.rows, WORDS.conditions(conditions)] satisfies Fact] : []),
    [
      WORDS.contextBudget,
      first.runtime.context_budget === undefined ? WORDS.noBudget : count(first.runtime.context_budget),
    ],
    [WORDS.models, models?.set ?? WORDS.asDeclared],
    ...Object.entries(models?.roles ?? {}).map(([role, { model, backend }]): Fact => [
      WORDS.role(role),
      WORDS.ofBackend(model, backend),
    ]),
    [WORDS.judges, panel.enabled ? WORDS.at(panel.models.join(', '), panel.endpoint) : WORDS.noJudges],
    [WORDS.gateway, gateway],
    [WORDS.platform, [platform.version, platform.revision].filter((part) => part !== null).join(', ') || '–'],
    ...shown.flatMap(({ label, ingestion }): Fact[] =>
      ingestion === null
        ? []
        : [[WORDS.ingestion(label), WORDS.profile(ingestion.profile, ingestion.revision.slice(0, 12))]],
    ),
    [WORDS.seed, first.seed],
    [WORDS.revision, repository.dirty === true ? WORDS.dirty(revision) : revision],
    [WORDS.files, Object.keys(first.config_hashes).join(', ')],
  ]
}

function primaryWords({ primary_metric: metric }: ListedRun, isDeclared: boolean): string {
  if (metric === null) return '–'
  return isDeclared ? metricName(metric) : WORDS.firstOf(metricName(metric))
}

/** Every setting of a run in one view: what was asked for, and what its rows record they were made under. */
export function RunSettings({ run, job }: { run: ListedRun; job: RunJob | undefined }) {
  const summary = useQuery({
    ...api.runs.summary.queryOptions({ input: { run_id: run.run_id } }),
    enabled: run.kind !== null,
  })
  if (summary.isError)
    return (
      <ErrorPanel error={summary.error} what={RUNS_WORDS.detail.settingsWhat} retry={() => void summary.refetch()} />
    )
  if (run.kind !== null && summary.data === undefined) return <LoadingRows rows={8} />
  const conditions = summary.data === undefined ? [] : conditionFacts(summary.data)
  const declared = summary.data?.datasets.some(({ conditions: shared }) => shared?.runtime.primary_metric !== undefined)
  const facts: Fact[] = [
    [WORDS.datasets, run.datasets.map(({ label }) => label).join(', ')],
    [WORDS.approaches, run.models.join(', ')],
    [WORDS.primary, primaryWords(run, declared ?? job?.request.primary_metric !== undefined)],
    ...(job === undefined ? [] : requestFacts(job)),
    ...conditions,
  ]
  return (
    <>
      <FactTable facts={facts} />
      {conditions.length === 0 && <p className="dim">{RUNS_WORDS.detail.noRows}</p>}
    </>
  )
}
