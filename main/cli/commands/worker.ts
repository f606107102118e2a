import { countWords, durationWords } from '../../../contract/words.ts'
import { workerState, type RunWorker } from '../../evidence/postgres/database-workers.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { datasetRunsOf, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { runWorker } from '../../runner/run-worker.ts'
import { EXIT, flag, flagOption, textOption, textValue, type Command, type ExitCode } from '../command.ts'
import { pickOptions, VERBOSE_OPTION } from '../options.ts'
import { chooseReporter } from '../progress/reporter.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'

export const workerCommand: Command = {
  name: 'worker',
  options: {
    ...pickOptions('project', 'manifest', 'dataset', 'queries', 'models', 'flavors', 'all', 'metrics', 'evaluate'),
    ...pickOptions(
      'concurrency',
      'repeats',
      'run-id',
      'results',
      'evidence',
      'gateway',
      'platform',
      'evaluator',
      'json',
    ),
    name: textValue('NAME', 'how this worker is listed; host and process number unless given'),
    list: flag('print who works or worked on the run, and end'),
    ...VERBOSE_OPTION,
  },
  collectsProblems: true,
  async run(invocation) {
    const setup = await setUpRun(invocation)
    const { evidenceUrl } = setup.inputs
    if (evidenceUrl === null)
      throw new InputError([
        '--evidence: name the database that keeps the rows of the run (or set MATRIX_EVIDENCE_URL)',
      ])
    const { databaseStoreAt } = await import('../../evidence/postgres/database-store.ts')
    const store = databaseStoreAt(evidenceUrl, textOption(invocation, 'name'))
    const print = (text: string): void => void invocation.stdout.write(`${sanitizeForTerminal(text)}\n`)
    if (flagOption(invocation, 'list')) {
      for (const { dataset } of setup.datasets)
        for (const line of workerLines(dataset.id, await store.workers({ runId: setup.runId, datasetId: dataset.id })))
          print(line)
      return EXIT.ok
    }
    return work({ ...setup, store }, invocation)
  },
}

async function work(setup: PreparedRun, invocation: Parameters<Command['run']>[0]): Promise<ExitCode> {
  const platform = choosePlatform(setup, invocation, () => undefined)
  if (platform.kind !== 'external')
    throw new InputError(['--gateway: name the gateway that all workers call (or set MATRIX_GATEWAY_URL)'])
  const reporter = chooseReporter(flagOption(invocation, 'json'), invocation.stdout)
  const stop = listenForStop((message) => reporter.event({ type: 'notice', level: 'warning', message }), setup.root)
  try {
    const { drain, abort } = stop
    let code: ExitCode = EXIT.ok
    for (const run of datasetRunsOf(setup, { platform, emit: reporter.event, drain, abort })) {
      const gateway = await platform.start(run.dataset.profile.name)
      const { failed, left } = await runWorker(run, gateway)
      if (left > 0 || drain.aborted) return EXIT.interrupted
      if (failed > 0) code = EXIT.cellsFailed
    }
    return code
  } finally {
    reporter.end()
    stop.dispose()
  }
}

/** A line for each process that works or worked on a run, with its state. */
export function workerLines(datasetId: string, workers: readonly RunWorker[], now = Date.now()): string[] {
  if (workers.length === 0) return [`${datasetId}: no process works on this run`]
  const ago = (time: Date): string => `${durationWords(Math.max(0, now - time.getTime()))} ago`
  return workers.map((worker) => {
    const { name, host, pid, stored, inHand, lastSeenAt, endedAt } = worker
    const states = {
      working: () => `working, seen ${ago(lastSeenAt!)}`,
      idle: () => `idle, seen ${ago(lastSeenAt!)}`,
      ended: () => `ended ${ago(endedAt!)}`,
      lost: () => 'lost: its connection ended before it left the run',
    }
    const counts = `${countWords(stored)} stored, ${countWords(inHand)} in hand`
    return `${datasetId}: ${name} (${host}, process ${pid}): ${counts}, ${states[workerState(worker)]()}`
  })
}
