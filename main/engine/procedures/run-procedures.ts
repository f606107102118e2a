import { stat } from 'node:fs/promises'
import {
  FailureClass,
  type JudgeRunInput,
  type PlanOutcome,
  type RetryFailuresInput,
  type RunRecovered,
  type RunRequest,
  type StoredRunRequest,
} from '../../../contract/control/run-job.ts'
import { artifactFiles, storedFilesOf } from '../../evidence/artifact-files.ts'
import { recoverTornTail } from '../../evidence/recover-torn-tail.ts'
import { EvidenceRefusedError } from '../../runner/open-evidence.ts'
import type { PlanInput } from '../../runner/plan-dataset.ts'
import { embeddedStateDir, externalPlatform } from '../../runner/platform-source.ts'
import { prepareRun, type Preparation, type PreparedRun } from '../../runner/prepare-run.ts'
import { openQuestions } from '../../runner/run-effects.ts'
import { summaryWithoutGrades, withheldBy } from '../judging/withheld-grades.ts'
import { ControlFailure, inputFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { experimentView } from '../experiment-view.ts'
import { countFailures } from '../run-control/failed-cells.ts'
import { pastLatenciesFrom, pastUsagesFrom, planRun } from '../run-control/plan-run.ts'
import { control } from './control-api.ts'

/** Where a run's answers come from, as its provenance will record it. */
function placeOf({ inputs, modelSet }: PreparedRun): PlanInput['platform'] {
  return inputs.gatewayUrl === null
    ? { kind: 'embedded', gateway: 'embedded', basePort: null, modelSet }
    : externalPlatform(inputs.gatewayUrl, inputs)
}

/** Where a run's embedded platform keeps its collections. */
const collectionsOf =
  ({ config }: EngineParts, { inputs }: PreparedRun) =>
  (profile: string): string | null =>
    inputs.gatewayUrl === null ? embeddedStateDir(config.stateDir, profile) : null

async function prepared({ experiment, settings, config }: EngineParts, request: RunRequest): Promise<Preparation> {
  const { resultsDir } = config
  return prepareRun(request, { experiment: await experiment.current(), inputs: settings.inputs(), resultsDir })
}

async function plan(parts: EngineParts, request: RunRequest): Promise<PlanOutcome> {
  const preparation = await prepared(parts, request)
  if (!preparation.ok) return preparation
  const { run } = preparation
  const { index, runs } = parts
  const outcome = await planRun(run, {
    platform: placeOf(run),
    collectionsOf: collectionsOf(parts, run),
    // What earlier runs took is a help, not a condition: without an index nothing is estimated.
    pastLatencies: async (...asked) => (await pastLatenciesFrom(index)(...asked).catch(() => null)) ?? new Map(),
    pastUsages: async (...asked) => (await pastUsagesFrom(index)(...asked).catch(() => null)) ?? new Map(),
  })
  const state = runs.stateOf(run.runId)
  const isTaken = state !== null && ['queued', 'running', 'pausing', 'cancelling'].includes(state)
  if (isTaken) outcome.blockers.push({ code: 'run_active', message: `${run.runId} is ${state} already` })
  return outcome
}

/** Queues a run that would be refused at its start right here, where the user sees it. */
async function start(parts: EngineParts, request: RunRequest): Promise<{ run_id: string }> {
  const preparation = await prepared(parts, request)
  if (!preparation.ok) throw inputFailure(preparation.problems)
  const { run } = preparation
  const { blockers, deletions, publications } = await planRun(run, {
    platform: placeOf(run),
    collectionsOf: collectionsOf(parts, run),
    pastLatencies: async () => new Map(),
    pastUsages: async () => new Map(),
  })
  const [blocker] = blockers
  if (blocker !== undefined)
    throw new ControlFailure(blocker.code === 'run_conflict' ? 'run_conflict' : 'evidence_refused', blocker.message, {
      blockers,
    })
  const open = openQuestions({ deletions, publications }, request)
  if (open.length > 0)
    throw new ControlFailure(
      'confirmation_required',
      `Cannot start run ${run.runId} unasked: ${open.join('; ')}. Confirm the lists of the plan, or leave out the cold reset or the publication.`,
      { deletions, publications },
    )
  await parts.runs.start(run.request)
  return { run_id: run.runId }
}

const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null

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
  if (known !== null) return known
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

async function newRunId({ config, runs }: EngineParts, runId: string, datasetIds: readonly string[]): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const name = `${runId}-retry${attempt}`
    const files = datasetIds.map((id) => artifactFiles(config.resultsDir, name, id).evidence)
    const taken = runs.stateOf(name) !== null || (await Promise.all(files.map(exists))).includes(true)
    if (!taken) return name
  }
}

async function retry(parts: EngineParts, input: RetryFailuresInput): Promise<{ run_id: string }> {
  const { run_id: source, classes = FailureClass.options } = input
  const state = parts.runs.stateOf(source)
  if (state !== null && ['queued', 'running', 'pausing', 'cancelling'].includes(state))
    throw new ControlFailure('run_state', `${source} is ${state}: its cells are still being made`, { state }, true)
  const evidence = await evidenceOf(parts, source)
  const failures = await countFailures([...evidence.values()])
  const cells = failures.filter((failure) => classes.includes(failure.class)).reduce((sum, each) => sum + each.cells, 0)
  if (cells === 0)
    throw new ControlFailure(
      'not_found',
      `${source} has no failed cell of ${input.classes === undefined ? 'any class' : classes.join(', ')} among the working artifacts`,
    )
  const { judge_only: _judgeOnly, ...request } = await requestOf(parts, source)
  const run_id = input.new_run_id ?? (await newRunId(parts, source, request.dataset_ids))
  const preparation = await prepared(parts, request)
  if (!preparation.ok) throw inputFailure(preparation.problems)
  if (parts.runs.stateOf(run_id) !== null)
    throw new ControlFailure('run_active', `a run ${run_id} exists already: choose another name`)
  // Publishing replaces results, which were not confirmed for this run.
  // Failed cells of other classes are taken over as they are.
  const chosen: StoredRunRequest = { ...request, cold_reset: false, publish: false, retry_failed: 'none' }
  await parts.runs.start({ ...chosen, run_id }, { run_id: source, classes })
  return { run_id }
}

const refuseUnderWay = ({ runs }: EngineParts, runId: string, why: string): void => {
  const state = runs.stateOf(runId)
  if (state !== null && ['queued', 'running', 'pausing', 'cancelling'].includes(state))
    throw new ControlFailure('run_state', `${runId} is ${state}: ${why}`, { state }, true)
}

/** Moves the torn end of each evidence file of a run aside, as the command `recover` does. */
async function recover(parts: EngineParts, runId: string): Promise<RunRecovered> {
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
  if (datasetIds.length === 0 || missing.length > 0)
    throw new ControlFailure(
      'not_found',
      `Cannot judge ${runId}: the results folder has no answers of ${missing.join(', ') || 'it'}. Published results are judged with the run that made them.`,
    )
  const {
    confirmed_deletions: _deletions,
    confirmed_publications: _publications,
    ...request
  } = await requestOf(parts, runId)
  const preparation = await prepared(parts, {
    ...request,
    run_id: runId,
    dataset_ids: datasetIds,
    judge: { ...judge, enabled: true },
    cold_reset: false,
    publish: false,
    judge_only: true,
  })
  if (!preparation.ok) throw inputFailure(preparation.problems)
  await parts.runs.start(preparation.run.request)
  return { run_id: runId }
}

export function experimentProcedures(parts: EngineParts) {
  return {
    get: control.experiment.get.handler(async () =>
      experimentView(await parts.experiment.current(), parts.settings.inputs()),
    ),
    plan: control.experiment.plan.handler(({ input }) => plan(parts, input)),
  }
}

export function runProcedures(parts: EngineParts) {
  const { runs, index, judging } = parts
  return {
    start: control.runs.start.handler(({ input }) => start(parts, input)),
    pause: control.runs.pause.handler(({ input }) => runs.pause(input.run_id)),
    resume: control.runs.resume.handler(({ input }) => runs.resume(input.run_id)),
    cancel: control.runs.cancel.handler(({ input }) => runs.cancel(input.run_id)),
    dismiss: control.runs.dismiss.handler(({ input }) => runs.dismiss(input.run_id)),
    failures: control.runs.failures.handler(async ({ input }) => ({
      run_id: input.run_id,
      classes: await countFailures([...(await evidenceOf(parts, input.run_id)).values()]),
    })),
    retryFailures: control.runs.retryFailures.handler(({ input }) => retry(parts, input)),
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
    steps: control.runs.steps.handler(({ input }) => runs.stepsOf(input.run_id)),
    recover: control.runs.recover.handler(({ input }) => recover(parts, input.run_id)),
    jobs: control.runs.jobs.handler(() => runs.jobs()),
    interrupted: control.runs.interrupted.handler(() => runs.interrupted()),
  }
}
