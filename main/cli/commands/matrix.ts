import { InputError } from '../../manifests/runner-inputs.ts'
import { datasetRunsOf } from '../../runner/prepare/prepare-run.ts'
import { externalIngestion, runGatewayMatrix } from '../../runner/run-gateway-matrix.ts'
import { EXIT, flagOption, textOption, textValue, type Command } from '../command.ts'
import { pickOptions, RETRY_OPTION, VERBOSE_OPTION } from '../options.ts'
import { printMatrix } from '../print-matrix.ts'
import { chooseReporter } from '../progress/reporter.ts'
import { runEndLines } from '../run-end.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'

export const matrixCommand: Command = {
  name: 'matrix',
  options: {
    ...pickOptions(
      'project',
      'manifest',
      'queries',
      'models',
      'flavors',
      'all',
      'baselines',
      'metrics',
      'primary-metric',
      'evaluate',
    ),
    ...pickOptions(
      'concurrency',
      'repeats',
      'context-budget',
      'trace',
      'budget',
      'run-id',
      'results',
      'evidence',
      'gateway',
      'platform',
      'evaluator',
      'json',
    ),
    dataset: textValue('ID', 'the one dataset to run, instead of MATRIX_DATASET_ID'),
    ...RETRY_OPTION,
    ...VERBOSE_OPTION,
    ingestion: textValue('JOB', 'ingestion job that the gateway’s collections come from'),
  },
  collectsProblems: true,
  async run(invocation) {
    const setup = await setUpRun(invocation)
    if (setup.datasets.length !== 1) throw new InputError(['--dataset: name exactly one dataset'])
    const platform = choosePlatform(setup, invocation, () => undefined)
    if (platform.kind !== 'external')
      throw new InputError(['--gateway: name the gateway to call (or set MATRIX_GATEWAY_URL)'])
    const gateway = await platform.start(setup.datasets[0]!.profile.name)
    const json = flagOption(invocation, 'json')
    const reporter = chooseReporter(json, invocation.stdout)
    const stop = listenForStop((message) => reporter.event({ type: 'notice', level: 'warning', message }), setup.root)
    try {
      for (const message of setup.leftOut) reporter.event({ type: 'notice', level: 'warning', message })
      const job = textOption(invocation, 'ingestion')
      const ingestion = job === null ? null : await externalIngestion(gateway, job)
      const { drain, abort } = stop
      const [run] = datasetRunsOf(setup, { platform, emit: reporter.event, drain, abort })
      const outcome = await runGatewayMatrix(run!, gateway, ingestion)
      reporter.end()
      if (outcome.status === 'interrupted') return EXIT.interrupted
      if (!json) await printMatrix(setup, [outcome.datasetId], invocation.stdout)
      if (!json && outcome.status === 'completed') invocation.stdout.write(runEndLines(setup, invocation, [outcome]))
      return outcome.status === 'completed' && outcome.columns.length === 0 ? EXIT.ok : EXIT.cellsFailed
    } finally {
      reporter.end()
      stop.dispose()
    }
  },
}
