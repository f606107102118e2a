import { EvaluationMetric, Identifier } from '../../../contract/index.ts'
import { plural } from '../../../contract/words.ts'
import { createEvaluatorClient } from '../../evaluation/evaluator-client.ts'
import { namedFiles, storedFilesOf } from '../../evidence/artifact-files.ts'
import type { Credentials } from '../../lib/credential-headers.ts'
import { evaluateUrl } from '../../lib/gateway-client.ts'
import { sanitizeForTerminal } from '../../lib/sanitize-for-terminal.ts'
import { withoutCredentials } from '../../manifests/provenance.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { summaryContextFromRows } from '../../report/run-summary.ts'
import { writeArtifacts } from '../../report/write-artifacts.ts'
import { evaluateAgain } from '../../runner/evaluate-again.ts'
import { preflightEvaluator } from '../../runner/preflight.ts'
import { filesOf, type PreparedRun } from '../../runner/prepare-run.ts'
import { EXIT, textOption, type Command, type Invocation } from '../command.ts'
import { pickOptions } from '../options.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop, type StopSignals } from '../stop-signals.ts'

/** The evaluator of the environment, else that of an embedded platform which is started for it. */
async function startEvaluator(setup: PreparedRun, invocation: Invocation) {
  const { evaluatorUrl, evaluatorApiKey } = setup.inputs
  if (evaluatorUrl !== null)
    return {
      url: evaluateUrl(evaluatorUrl),
      name: withoutCredentials(evaluatorUrl),
      apiKey: evaluatorApiKey,
      keyVariable: 'MATRIX_EVALUATOR_API_KEY',
      stop: async () => undefined,
    }
  const source = choosePlatform(setup, invocation, () => undefined)
  const platform = await source.start(setup.datasets[0]!.profile.name)
  const apiKey = (source.kind === 'external' ? evaluatorApiKey : null) ?? platform.operatorToken
  const { edgeKey } = platform
  const set = source.modelSet ?? setup.experiment.models.default_set
  const name = source.kind === 'external' ? withoutCredentials(source.gateway) : `embedded, model set ${set}`
  return {
    name,
    apiKey,
    edgeKey,
    keyVariable: 'MATRIX_PLATFORM_TOKEN, or MATRIX_EVALUATOR_API_KEY',
    url: evaluateUrl(platform.platformUrl ?? platform.url),
    stop: () => platform.stop(),
  }
}

async function evaluateDatasets(
  setup: PreparedRun,
  from: string,
  target: { url: string; name: string; keyVariable: string } & Credentials,
  stop: StopSignals,
  { stdout: out, stderr }: Pick<Invocation, 'stdout' | 'stderr'>,
) {
  const { retries, evaluator_timeout_s: timeoutS } = setup.experiment.evaluation.run
  const { url, apiKey, edgeKey = null, keyVariable } = target
  await preflightEvaluator({ url, apiKey, edgeKey }, keyVariable, AbortSignal.any([stop.drain, stop.abort]))
  const evaluator = createEvaluatorClient({ ...target, retries, timeoutMs: timeoutS * 1000 })
  let left = 0
  try {
    for (const { dataset } of setup.datasets) {
      const source = storedFilesOf({ ...setup, named: namedFiles(setup.root, setup.inputs) }, from, dataset.id)
      const files = filesOf(setup, dataset.id)
      const counts = await evaluateAgain({
        source: source.evidence,
        target: files.evidence,
        runId: setup.runId,
        datasetId: dataset.id,
        evaluator,
        conditions: { metrics: setup.metrics, retries, timeout_s: null, evaluator_timeout_s: timeoutS },
        evaluatorName: target.name,
        emit: (event) => {
          if (event.type === 'notice') stderr.write(`${event.level}: ${sanitizeForTerminal(event.message)}\n`)
        },
        drain: stop.drain,
      })
      left += counts.left
      out.write(`${dataset.id}: ${plural(counts.made, 'row')} scored, ${counts.reused} reused, ${counts.left} left\n`)
      if (counts.left === 0)
        await writeArtifacts(files, readEvidenceRows(files.evidence), summaryContextFromRows(setup.runId, dataset.id))
    }
  } finally {
    await evaluator.close()
  }
  return left
}

export const evaluateCommand: Command = {
  name: 'evaluate',
  summary: 'Score the stored answers of a run again, as a new run; no approach is called.',
  options: {
    ...pickOptions('project', 'manifest', 'dataset', 'metrics', 'results', 'model-set'),
    ...pickOptions('gateway', 'platform', 'evaluator'),
    from: { type: 'string', hint: 'RUN', description: 'run whose answers are scored' },
    'run-id': { type: 'string', hint: 'ID', description: 'name of the new run' },
  },
  collectsProblems: true,
  async run(invocation) {
    const setup = await setUpRun(invocation)
    const from = Identifier.safeParse(textOption(invocation, 'from'))
    if (!from.success) throw new InputError(['--from: name the run whose answers are to be scored'])
    if (textOption(invocation, 'run-id') === null || setup.runId === from.data)
      throw new InputError(['--run-id: give the new run its own name; rows of a run are never changed'])
    if (setup.metrics.length === 0)
      throw new InputError([`--metrics: name at least one of ${EvaluationMetric.options.join(', ')}`])
    const stop = listenForStop((message) => invocation.stderr.write(`${message}\n`))
    const evaluator = await startEvaluator(setup, invocation)
    try {
      const left = await evaluateDatasets(setup, from.data, evaluator, stop, invocation)
      return left > 0 ? EXIT.interrupted : EXIT.ok
    } finally {
      await evaluator.stop()
      stop.dispose()
    }
  },
}
