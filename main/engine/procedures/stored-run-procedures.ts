import type { z } from 'zod'
import type { ListedRun, RunOverview, RunOverviewInput } from '../../../contract/control/stored-runs.ts'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { openBundle } from '../bundle-transfer.ts'
import { ControlFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { listTrash } from '../../lib/files/trash.ts'
import { removeRun, restoreRun } from '../run-control/run-trash.ts'
import { control } from './control-api.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'

const NO_FACTS = { models: [], model_sets: [], primary_metric: null, verdicts: [], has_working_files: false }

/** Runs of the index and runs that have only a journal, newest first. */
async function overview(
  { index, runs, notes }: EngineParts,
  input: z.output<typeof RunOverviewInput>,
): Promise<RunOverview> {
  const list = await index.query('listRuns', input)
  const jobs = new Map(runs.jobs().map((job) => [job.run_id, job]))
  const facts = new Map(
    (await index.query('runFacts', { run_ids: list.runs.map(({ run_id }) => run_id) })).map((each) => [
      each.run_id,
      each,
    ]),
  )
  const indexed = list.runs.map((head): ListedRun => {
    const { has_working_files: hasFiles, ...known } = facts.get(head.run_id) ?? { ...NO_FACTS, run_id: head.run_id }
    const job = jobs.get(head.run_id)
    const state = runs.stateOf(head.run_id)
    return {
      ...known,
      kind: head.kind,
      state,
      failures: job?.failures ?? [],
      ...(job?.missing === undefined ? {} : { missing: job.missing }),
      at: head.last_finished_at ?? job?.finished_at ?? job?.created_at ?? null,
      datasets: head.datasets.map(({ dataset_id, label, questions, damaged }) => ({
        dataset_id,
        label,
        questions,
        damaged,
      })),
      cells: cellsOf(head),
      sample: !hasFiles && state === null,
      note: notes.ofRun(head.run_id),
      kept: state !== null && isUnderWayOrQueued(state) ? 'under_way' : hasFiles ? null : 'published',
    }
  })
  // The page of a run without rows is the one whose times are around its own.
  const withRows = new Set(await indexedAmong(index, [...jobs.keys()]))
  const newest = input.cursor === undefined ? null : timeOf(list.runs[0])
  const oldest = list.next_cursor === null ? '' : timeOf(list.runs.at(-1))
  const withoutRows = [...jobs.values()].filter((job) => {
    const at = job.finished_at ?? job.created_at
    const isAsked = input.run_id === undefined || input.run_id === job.run_id
    return isAsked && !withRows.has(job.run_id) && at >= oldest && (newest === null || at < newest)
  })
  const unindexed = withoutRows.map(
    ({ run_id, state, failures, request, finished_at: end, created_at: start }): ListedRun => ({
      run_id,
      models: request.models,
      model_sets: request.model_set === undefined ? [] : [request.model_set],
      primary_metric: request.primary_metric ?? null,
      verdicts: [],
      kind: null,
      state,
      failures,
      at: end ?? start,
      datasets: request.dataset_ids.map((id) => ({ dataset_id: id, label: id, questions: 0, damaged: false })),
      cells: { ok: 0, failed: 0 },
      sample: false,
      note: notes.ofRun(run_id),
      kept: isUnderWayOrQueued(state) ? 'under_way' : null,
    }),
  )
  return {
    // Runs of equal time stay in the order of the index.
    runs: [...indexed, ...unindexed].toSorted(
      (a, b) => Date.parse(b.at ?? '1970-01-01') - Date.parse(a.at ?? '1970-01-01'),
    ),
    total: list.total + jobs.size - withRows.size,
    next_cursor: list.next_cursor,
  }
}

const timeOf = (head: RunHead | undefined): string => head?.last_finished_at ?? ''

const cellsOf = ({ datasets }: RunHead): ListedRun['cells'] => ({
  ok: datasets.reduce((sum, { cells }) => sum + cells.ok, 0),
  failed: datasets.reduce((sum, { cells }) => sum + cells.error + cells.timeout, 0),
})

/** Those of the names that the index has a run of. */
async function indexedAmong(index: EngineParts['index'], runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return []
  return (await index.query('knownRuns', { run_ids: [...runIds] })).run_ids
}

async function remove(parts: EngineParts, runId: string) {
  const { runs, index, config, artifacts } = parts
  const state = runs.stateOf(runId)
  if (state !== null && isUnderWayOrQueued(state))
    throw new ControlFailure('run_state', `Cannot remove ${runId}: it is ${state}. Cancel it first.`, { state }, true)
  const indexed = await index.query('runSummary', { run_id: runId }).then(
    ({ summary }) => summary.datasets.map(({ dataset_id }) => dataset_id),
    () => [],
  )
  const datasets = new Set([...indexed, ...(runs.requestOf(runId)?.dataset_ids ?? [])])
  const place = { root: config.root, stateDir: config.stateDir, artifacts }
  const removed = await removeRun(place, runId, [...datasets], runs.entryOf(runId))
  // Only when its files are in the trash: a journal without files would be a run that lost its cells.
  await runs.forget(runId)
  await index.sync()
  return removed
}

export function storedRunProcedures(parts: EngineParts) {
  const { notes, config, artifacts, runs, index } = parts
  const place = { root: config.root, stateDir: config.stateDir, artifacts }
  const inTurn = oneAfterAnother()
  return {
    overview: control.runs.overview.handler(({ input }) => overview(parts, input)),
    annotate: control.runs.annotate.handler(({ input: { run_id: runId, ...change } }) =>
      notes.annotateRun(runId, change),
    ),
    remove: control.runs.remove.handler(({ input }) => inTurn(() => remove(parts, input.run_id))),
    importBundle: control.runs.importBundle.handler(({ input }) =>
      inTurn(async () => {
        const imported = await openBundle(config, input.source)
        await index.sync()
        return imported
      }),
    ),
    trash: control.runs.trash.handler(() => listTrash(config.stateDir)),
    restore: control.runs.restore.handler(({ input }) =>
      inTurn(async () => {
        const { run, journal } = await restoreRun(place, input.trash_id)
        if (journal !== null && runs.stateOf(run.run_id) === null) await runs.readopt(journal)
        await index.sync()
        return run
      }),
    ),
  }
}
