import type { PlanOutcome, RunRequest } from '../../../contract/control/run-job.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { runNameOf } from '../../../core/run-name.ts'
import type { PlanInput } from '../../runner/cells/plan-dataset.ts'
import { embeddedStateDir, externalPlatform } from '../../runner/platform/platform-source.ts'
import { prepareRun, type Preparation, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { openQuestions } from '../../runner/reset/run-effects.ts'
import { ControlFailure, inputFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { checkRun, newestSummaries, previewRun, type CheckedRun } from '../run-control/preview-run.ts'

/**
 * Launches a run, from a click to its place in the queue. A run that would be refused at its start is refused here, where the user sees it, and
 * the first cell is made with what is prepared and planned here.
 */
export async function launchRun(parts: EngineParts, request: RunRequest): Promise<{ run_id: string }> {
  // 1. Prepare: request, settings, environment and manifests become one run, or a list of problems.
  const preparation = await prepareRequest(parts, request)
  if (!preparation.ok) throw inputFailure(preparation.problems)
  const { run } = preparation
  // 2. Check: plan the cells of each dataset, and list what the run would delete, replace or be refused for.
  const checked = await checkRun(run, placesOf(parts, run))
  // 3. Refuse what cannot start, and what deletes or replaces more than the user has confirmed.
  refuseBlocked(checked)
  refuseUnconfirmed(run, checked, request)
  // 4. Queue: the run starts as soon as no other is under way (RunControl).
  await parts.runs.queueRun(run.request, { prepared: { ...run, plans: checked.plans } })
  return { run_id: run.runId }
}

/** Returns what a request would do, with estimates, and starts nothing. */
export async function previewRequest(parts: EngineParts, request: RunRequest): Promise<PlanOutcome> {
  const preparation = await prepareRequest(parts, request)
  if (!preparation.ok) return preparation
  const { run } = preparation
  const { index, runs } = parts
  const preview = await previewRun(run, {
    ...placesOf(parts, run),
    summariesOf: (datasetId) => newestSummaries(index, datasetId),
    ownSummariesOf: (datasetId) => newestSummaries(index, datasetId, true),
  })
  const state = runs.stateOf(run.runId)
  const isTaken = state !== null && isUnderWayOrQueued(state)
  if (isTaken) preview.blockers.push({ code: 'run_active', message: `${run.runId} is ${state} already` })
  return preview
}

export async function prepareRequest(
  { experiment, settings, config: { resultsDir } }: Pick<EngineParts, 'experiment' | 'settings' | 'config'>,
  request: RunRequest,
): Promise<Preparation> {
  const current = await experiment.current()
  const inputs = settings.inputs()
  const modelSet = request.model_set ?? inputs.modelSet ?? current.models.default_set
  // Lists and headings show the name, so that it has to say which run this is.
  const run_id = request.run_id ?? inputs.runId ?? runNameOf(request.dataset_ids ?? [], modelSet, new Date())
  return prepareRun({ ...request, run_id }, { experiment: current, inputs, resultsDir })
}

/** Returns where a run's answers come from, as its provenance will record it, and where its embedded platform keeps its collections. */
function placesOf({ config }: EngineParts, { inputs, modelSet }: PreparedRun) {
  const { gatewayUrl } = inputs
  const platform: PlanInput['platform'] =
    gatewayUrl === null
      ? { kind: 'embedded', gateway: 'embedded', basePort: null, modelSet }
      : externalPlatform(gatewayUrl, inputs)
  const collectionsOf = (profile: string): string | null =>
    gatewayUrl === null ? embeddedStateDir(config.stateDir, profile) : null
  return { platform, collectionsOf }
}

function refuseBlocked({ blockers }: CheckedRun): void {
  const [first] = blockers
  if (first === undefined) return
  const code = first.code === 'run_conflict' ? 'run_conflict' : 'evidence_refused'
  throw new ControlFailure(code, first.message, { blockers })
}

function refuseUnconfirmed({ runId }: PreparedRun, { deletions, publications }: CheckedRun, request: RunRequest): void {
  const open = openQuestions({ deletions, publications }, request)
  if (open.length === 0) return
  throw new ControlFailure(
    'confirmation_required',
    `Cannot start run ${runId} unasked: ${open.join('; ')}. Confirm the lists of the plan, or leave out the cold reset or the publication.`,
    { deletions, publications },
  )
}
