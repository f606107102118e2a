import { LADDER_STEPS, type LadderStep, type RunEvent } from '../../../contract/evidence/run-event.ts'
import { countWords, plural } from '../../../contract/words.ts'
import { missingColumns, missingWords } from '../../../core/evidence/missing-columns.ts'
import { createEvaluatorClient } from '../../evaluation/evaluator-client.ts'
import { evaluateUrl } from '../../lib/services/gateway-client.ts'
import type { Credentials } from '../../lib/trust/credential-headers.ts'
import { withoutCredentials } from '../../manifests/project/provenance.ts'
import { summaryContextFromRows } from '../../report/aggregate/run-summary.ts'
import { writeArtifacts } from '../../report/publication/write-artifacts.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { step, type At } from '../ladder-step.ts'
import { preflightEvaluator } from '../prepare/preflight.ts'
import type { DatasetOutcome } from '../run-dataset.ts'
import { runLadder, type LadderOutcome } from '../run-ladder.ts'
import { evaluateAgain } from './evaluate-again.ts'

/** The run whose answers are scored again. */
export interface AnsweredRun {
  runId: string
  evidenceOf: (datasetId: string) => string
  /** Grades also answers that have all grades of this evaluator. */
  all: boolean
}

interface StartedEvaluator extends Credentials {
  url: string
  /** As the new run records it: its address, or the model set of the embedded platform. */
  name: string
  keyVariable: string
  stop: () => Promise<void>
}

/** The evaluator that the run names, else that of its platform, which is started for it. */
async function startEvaluator({ evaluator, platform, dataset, experiment, drain, abort }: DatasetRun) {
  if (evaluator !== null && evaluator !== 'platform')
    return {
      ...evaluator,
      name: withoutCredentials(evaluator.url),
      keyVariable: 'MATRIX_EVALUATOR_API_KEY',
      stop: async () => undefined,
    }
  const started = await platform.start(dataset.profile.name, AbortSignal.any([drain, abort]))
  const set = platform.modelSet ?? experiment.models.default_set
  return {
    url: evaluateUrl(started.platformUrl ?? started.url),
    name: platform.kind === 'external' ? withoutCredentials(platform.gateway) : `embedded, model set ${set}`,
    apiKey: started.operatorToken,
    edgeKey: started.edgeKey,
    keyVariable: 'MATRIX_PLATFORM_TOKEN, or MATRIX_EVALUATOR_API_KEY',
    stop: () => started.stop(),
  }
}

/** Scores the rows, and reports each as it is stored. */
async function scoreRows(run: DatasetRun, answered: AnsweredRun, target: StartedEvaluator) {
  const { experiment, dataset, runId, files, metrics, emit, drain, abort } = run
  const { retries, evaluator_timeout_s: timeoutS } = experiment.evaluation.run
  await preflightEvaluator(target, target.keyVariable, AbortSignal.any([drain, abort]))
  const evaluator = createEvaluatorClient({ ...target, retries, timeoutMs: timeoutS * 1000 })
  try {
    return await evaluateAgain({
      source: answered.evidenceOf(dataset.dataset.id),
      target: files.evidence,
      runId,
      datasetId: dataset.dataset.id,
      evaluator,
      conditions: { metrics: [...metrics], retries, timeout_s: null, evaluator_timeout_s: timeoutS },
      evaluatorName: target.name,
      all: answered.all,
      emit,
      drain,
    })
  } finally {
    await evaluator.close()
  }
}

const evaluatedWords = ({ made, failed, kept, reused, left }: Awaited<ReturnType<typeof evaluateAgain>>): string =>
  `${plural(made, 'answer')} graded, ${failed === 0 ? '' : `${countWords(failed)} failed, `}${countWords(kept)} kept, ${countWords(reused)} reused, ${countWords(left)} left`

async function evaluateStored(run: DatasetRun, answered: AnsweredRun): Promise<DatasetOutcome> {
  const { dataset, runId, files, emit } = run
  const datasetId = dataset.dataset.id
  const at: At = (name, action) => step(emit, datasetId, name, action)
  const reason = `the answers are those of ${answered.runId}`
  /** Reports the steps from one to before another as skipped. */
  const skip = (from: LadderStep, before: LadderStep): void => {
    for (const name of LADDER_STEPS.slice(LADDER_STEPS.indexOf(from), LADDER_STEPS.indexOf(before)))
      emit({ type: 'step.skipped', dataset_id: datasetId, step: name, reason })
  }
  skip('validate', 'start')
  const evaluator = await at('start', async () => ({ result: await startEvaluator(run) }))
  const context = summaryContextFromRows(runId, datasetId)
  let left = 0
  try {
    skip('ingest', 'evaluate')
    await at('evaluate', async () => {
      const counts = await scoreRows(run, answered, evaluator)
      left = counts.left
      return { result: null, note: evaluatedWords(counts) }
    })
  } finally {
    await evaluator.stop()
  }
  const outcome = { datasetId, cells: { ok: 0, failed: 0, left }, context, failure: null, missing: null }
  if (left > 0) return { ...outcome, status: 'interrupted', columns: [] }
  skip('check_cells', 'summarize')
  const columns = await at('summarize', async () => {
    const { aggregate } = await writeArtifacts(files, readEvidenceRows(files.evidence), context)
    const missing = missingColumns(aggregate)
    return {
      result: missing,
      missing,
      note: missing.length === 0 ? `scored by ${evaluator.name}` : missingWords(missing),
    }
  })
  return { ...outcome, status: 'completed', columns }
}

/** Scores the stored answers of a finished run again, by another evaluator and under another name. Calls no approach and changes no row. */
export const evaluateStoredRun = (
  runs: readonly DatasetRun[],
  answered: AnsweredRun,
  emit: (event: RunEvent) => void,
): Promise<LadderOutcome> => runLadder(runs, emit, (run) => evaluateStored(run, answered))
