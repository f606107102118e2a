import { coverageNotices } from '../../manifests/selection.ts'
import { datasetRunsOf } from '../../runner/prepare/prepare-run.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { sameCommand } from '../../evidence/typed-command.ts'
import { effectsOf, foreignFilesOf } from '../../runner/reset/run-effects.ts'
import { runLadder } from '../../runner/run-ladder.ts'
import { announceEffects, questioner } from '../announce-effects.ts'
import { EXIT, flag, flagOption, type Command } from '../command.ts'
import { printJudges } from '../describe-judges.ts'
import { exitCodeOf } from '../exit-code.ts'
import { COLD_RESET_OPTION, RETRY_OPTION, RUN_OPTIONS, VERBOSE_OPTION } from '../options.ts'
import { printMatrix } from '../print-matrix.ts'
import { chooseReporter } from '../progress/reporter.ts'
import { runEndLines } from '../run-end.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'

export const ladderCommand: Command = {
  name: 'ladder',
  options: {
    ...RUN_OPTIONS,
    ...RETRY_OPTION,
    ...VERBOSE_OPTION,
    ...COLD_RESET_OPTION,
    paraphrases: flag('ask questions in other words too, where the project has some, and print what that changes'),
    publish: flag('copy validated artifacts to docs/results; on unless --no-publish'),
  },
  collectsProblems: true,
  async run(invocation) {
    const { 'cold-reset': reset, publish } = invocation.values
    const values = { ...invocation.values, 'cold-reset': reset !== false, publish: publish !== false }
    const setup = await setUpRun({ ...invocation, values })
    const json = flagOption(invocation, 'json')
    const reporter = chooseReporter(json, invocation.stdout)
    const emit = reporter.event
    const stop = listenForStop((message) => emit({ type: 'notice', level: 'warning', message }), setup.root)
    try {
      for (const message of setup.leftOut) emit({ type: 'notice', level: 'warning', message })
      for (const message of coverageNotices(setup.metrics, setup.aliases, setup.datasets))
        emit({ type: 'notice', level: 'info', message })
      const platform = choosePlatform(setup, invocation, emit)
      const effects = await effectsOf(setup, (profile) => platform.stateDir(profile))
      const foreign = await foreignFilesOf(setup, effects)
      if (foreign.length > 0) throw new InputError(foreign)
      const confirmed_deletions = await announceEffects({
        runId: setup.runId,
        effects,
        isResetOrdered: reset === true,
        isPublishOrdered: publish === true,
        ask: json ? null : questioner(process.stdin, invocation.stdout),
        notify: (message) => emit({ type: 'notice', level: 'warning', message }),
      })
      const confirmed = { ...setup, request: { ...setup.request, confirmed_deletions } }
      const result = await runLadder(
        datasetRunsOf(confirmed, { platform, emit, drain: stop.drain, abort: stop.abort }),
        emit,
      )
      reporter.end()
      // A dataset that failed may have a matrix of an earlier run: it would read as if it were this one's.
      const summed = result.datasets.filter(({ status }) => status !== 'interrupted').map(({ datasetId }) => datasetId)
      if (!json) await printMatrix(setup, summed, invocation.stdout)
      if (!json && setup.judgePanel.enabled) await printJudges(setup, invocation.stdout)
      const runId = invocation.values['run-id'] === undefined ? ['--run-id', setup.runId] : []
      const again = (...more: string[]): string =>
        sameCommand([...runId, '--no-cold-reset', ...more], ['--cold-reset', '--no-retry-failed'])
      if (!json && result.outcome === 'interrupted')
        invocation.stdout.write(`what it answered is kept; to go on: ${again()}\n`)
      if (!json && result.datasets.some(({ status }) => status === 'cells_failed'))
        invocation.stdout.write(`to make the failed answers again and keep the others: ${again('--retry-failed')}\n`)
      if (!json && result.outcome === 'completed') {
        const space = setup.judgePanel.enabled ? '\n' : ''
        invocation.stdout.write(`${space}${runEndLines(setup, invocation, result.datasets)}`)
      }
      if (result.failures[0] !== undefined) return exitCodeOf(result.failures[0])
      if (result.outcome === 'interrupted') return EXIT.interrupted
      const isWhole = result.datasets.every(({ columns }) => columns.length === 0)
      return result.outcome === 'completed' && isWhole ? EXIT.ok : EXIT.cellsFailed
    } finally {
      reporter.end()
      stop.dispose()
    }
  },
}
