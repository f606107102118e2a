import {
  FailureClass,
  type JudgeRunInput,
  type RescoreRunInput,
  type RetryFailuresInput,
  type RunRecovered,
  type RunRequest,
  type StoredRunRequest,
} from '../../../contract/control/run-job.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { artifactFiles, storedFilesOf } from '../../evidence/files/artifact-files.ts'
import { recoverTornTail } from '../../evidence/files/recover-torn-tail.ts'
import { exists } from '../../lib/files/missing-file.ts'
import { EvidenceRefusedError } from '../../runner/cells/open-evidence.ts'
import type { PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { summaryWithoutGrades, withheldBy } from '../judging/withheld-grades.ts'
import { ControlFailure, inputFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { experimentView } from '../experiment-view.ts'
import { countFailures } from '../run-control/failed-cells.ts'
import type { JournalEntry } from '../run-control/run-journal.ts'
import { control } from './control-api.ts'
import { launchRun, prepareRequest, previewRequest } from './launch-run.ts'

/** Evidence files of a run among the working artifacts, by dataset. */
async function evidenceOf({ index, artifacts }: EngineParts, runId: string): Promise<Map<string, string>> {
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  const files = datasets.map(
    ({ dataset_id }) => [dataset_id, storedFilesOf(artifacts, runId, dataset_id).evidence] as const,
  )
  const there = await Promise.all(files.map(([, file]) => exists(file)))
  return new Map(files.filter((_, place) => there[place] === true))
}

/** The request that a run was made with, or one that asks for what its rows show. */
async function requestOf({ runs, index }: EngineParts, runId: string): Promise<StoredRunRequest> {
  const known = runs.requestOf(runId)
  if (known !== null) {
    const {
      judge_only: _judgeOnly,
      evaluate_from: _from,
      confirmed_deletions: _deletions,
      confirmed_publications: _publications,
      ...request
    } = known
    return request
  }
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  const models = new Set(datasets.flatMap(({ aliases }) => aliases.map(({ model }) => model)))
  return {
    dataset_ids: datasets.map(({ dataset_id }) => dataset_id),
    models: [...models],
    repeats: 1,
    cold_reset: false,
    publish: false,
  }
}

async function newRunId(
  { config, runs }: EngineParts,
  ending: string,
  runId: string,
  datasetIds: readonly string[],
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const name = `${runId}-${ending}${attempt}`
    const files = datasetIds.map((id) => artifactFiles(config.resultsDir, name, id).evidence)
    const taken = runs.stateOf(name) !== null || (await Promise.all(files.map(exists))).includes(true)
    if (!taken) return name
  }
}

async function retryFailedCells(parts: EngineParts, input: RetryFailuresInput): Promise<{ run_id: string }> {
  const { run_id: source, classes = FailureClass.options } = input
  refuseUnderWay(parts, source, 'its answers are still being made')
  const evidence = await evidenceOf(parts, source)
  const failures = await countFailures([...evidence.values()])
  const cells = failures.filter((failure) => classes.includes(failure.class)).reduce((sum, each) => sum + each.cells, 0)
  if (cells === 0)
    throw new ControlFailure(
      'not_found',
      `${source} has no failed answer of ${input.classes === undefined ? 'any class' : classes.join(', ')} among the working artifacts`,
    )
  const request = await requestOf(parts, source)
  const run_id = input.new_run_id ?? (await newRunId(parts, 'retry', source, request.dataset_ids))
  // Publishing replaces results, which were not confirmed for this run.
  // Failed cells of other classes are taken over as they are.
  const chosen: StoredRunRequest = { ...request, cold_reset: false, publish: false, retry_failed: 'none' }
  const run = await preparedRun(parts, { ...chosen, run_id })
  return queueNew(parts, run, { run_id: source, classes })
}

async function preparedRun(parts: EngineParts, request: RunRequest): Promise<PreparedRun> {
  const preparation = await prepareRequest(parts, request)
  if (preparation.ok) return preparation.run
  throw inputFailure(preparation.problems)
}

async function queueNew(
  { runs }: EngineParts,
  run: PreparedRun,
  retryOf: JournalEntry['retry_of'] = null,
): Promise<{ run_id: string }> {
  const { runId: run_id } = run
  if (runs.stateOf(run_id) !== null)
    throw new ControlFailure('run_active', `a run ${run_id} exists already: choose another name`)
  await runs.queueRun(run.request, { prepared: run, retryOf })
  return { run_id }
}

/** Queues a run that scores the stored answers of another one again. Judges keep their verdicts with the run that they graded. */
async function rescoreRun(parts: EngineParts, input: RescoreRunInput): Promise<{ run_id: string }> {
  const { run_id: source, model_set } = input
  refuseUnderWay(parts, source, 'its answers are still being made')
  const datasetIds = [...(await evidenceOf(parts, source)).keys()]
  if (datasetIds.length === 0) throw withoutAnswers('score', source, 'it')
  const run = await preparedRun(parts, {
    ...(await requestOf(parts, source)),
    run_id: input.new_run_id ?? (await newRunId(parts, 'rescored', source, datasetIds)),
    dataset_ids: datasetIds,
    ...(model_set === undefined ? {} : { model_set }),
    judge: { enabled: false },
    cold_reset: false,
    publish: false,
    evaluate_from: source,
  })
  if (run.metrics.length === 0)
    throw new ControlFailure(
      'input_invalid',
      `${source} was made without graded metrics: start a new run that has some`,
    )
  return queueNew(parts, run)
}

const withoutAnswers = (verb: string, runId: string, datasets: string): ControlFailure =>
  new ControlFailure(
    'not_found',
    `Cannot ${verb} ${runId}: the results folder has no answers of ${datasets}. Published results are in the folder of the run that made them.`,
  )

const refuseUnderWay = ({ runs }: EngineParts, runId: string, why: string): void => {
  const state = runs.stateOf(runId)
  if (state !== null && isUnderWayOrQueued(state))
    throw new ControlFailure('run_state', `${runId} is ${state}: ${why}`, { state }, true)
}

/** Moves the torn end of each evidence file of a run aside, as the command `recover` does. */
async function recoverFiles(parts: EngineParts, runId: string): Promise<RunRecovered> {
  refuseUnderWay(parts, runId, 'its files are in use')
  const asked = parts.runs.requestOf(runId)?.dataset_ids ?? []
  const indexed = await parts.index.query('runSummary', { run_id: runId }).then(
    ({ summary }) => summary.datasets.map(({ dataset_id }) => dataset_id),
    () => [],
  )
  const recovered: RunRecovered['files'] = []
  for (const id of new Set([...asked, ...indexed])) {
    const { evidence: file } = storedFilesOf(parts.artifacts, runId, id)
    if (!(await exists(file))) continue
    const outcome = await recoverTornTail(file)
    if (outcome.ok)
      recovered.push({ file, rows: outcome.rows, moved_bytes: outcome.movedBytes, moved_to: outcome.movedTo })
    else if (outcome.refusal.code !== 'not_torn') throw new EvidenceRefusedError(outcome.refusal)
  }
  if (recovered.length === 0)
    throw new ControlFailure('not_found', `Every evidence file of ${runId} ends with a finished row: nothing is torn.`)
  return { run_id: runId, files: recovered }
}

/** Queues the judging of a run's stored answers. */
export async function judgeRun(parts: EngineParts, input: JudgeRunInput): Promise<{ run_id: string }> {
  const { run_id: runId, judge } = input
  refuseUnderWay(parts, runId, 'its answers are still being made')
  const evidence = await evidenceOf(parts, runId)
  const datasetIds = input.dataset_ids ?? [...evidence.keys()]
  const missing = datasetIds.filter((id) => !evidence.has(id))
  if (datasetIds.length === 0 || missing.length > 0) throw withoutAnswers('judge', runId, missing.join(', ') || 'it')
  const run = await preparedRun(parts, {
    ...(await requestOf(parts, runId)),
    run_id: runId,
    dataset_ids: datasetIds,
    judge: { ...judge, enabled: true },
    cold_reset: false,
    publish: false,
    judge_only: true,
  })
  await parts.runs.queueRun(run.request, { prepared: run })
  return { run_id: runId }
}

export function experimentProcedures(parts: EngineParts) {
  return {
    get: control.experiment.get.handler(async () =>
      experimentView(await parts.experiment.current(), parts.settings.inputs()),
    ),
    plan: control.experiment.plan.handler(({ input }) => previewRequest(parts, input)),
  }
}

export function runProcedures(parts: EngineParts) {
  const { runs, index, judging } = parts
  return {
    start: control.runs.start.handler(({ input }) => launchRun(parts, input)),
    pause: control.runs.pause.handler(({ input }) => runs.pause(input.run_id)),
    resume: control.runs.resume.handler(({ input }) => runs.resume(input.run_id)),
    cancel: control.runs.cancel.handler(({ input }) => runs.cancel(input.run_id)),
    dismiss: control.runs.dismiss.handler(({ input }) => runs.dismiss(input.run_id)),
    failures: control.runs.failures.handler(async ({ input }) => ({
      run_id: input.run_id,
      classes: await countFailures([...(await evidenceOf(parts, input.run_id)).values()]),
    })),
    retryFailures: control.runs.retryFailures.handler(({ input }) => retryFailedCells(parts, input)),
    rescore: control.runs.rescore.handler(({ input }) => rescoreRun(parts, input)),
    list: control.runs.list.handler(async ({ input }) => {
      const list = await index.query('listRuns', input)
      return {
        ...list,
        runs: list.runs.map((run) => ({
          ...run,
          state: runs.stateOf(run.run_id),
          planned_cells: runs.plannedCellsOf(run.run_id),
        })),
        // A run of this engine stays the person's own where its working files are gone.
        samples: list.samples.filter((run) => runs.stateOf(run) === null),
      }
    }),
    summary: control.runs.summary.handler(async ({ input }) =>
      summaryWithoutGrades((await index.query('runSummary', input)).summary, withheldBy(judging)),
    ),
    view: control.runs.view.handler(({ input }) => runs.viewOf(input.run_id)),
    recover: control.runs.recover.handler(({ input }) => recoverFiles(parts, input.run_id)),
    jobs: control.runs.jobs.handler(() => runs.jobs()),
    interrupted: control.runs.interrupted.handler(() => runs.interrupted()),
  }
}
