import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { intervalWords, plural, scoreWords } from '../../../contract/words.ts'
import { emptyBallot, exportHumanRound } from '../../judge/human/export-round.ts'
import { importHumanVotes } from '../../judge/human/import-votes.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { readJudgments } from '../../report/aggregate/judge-input.ts'
import { storedAnswers } from '../../report/stored-answers.ts'
import { storedContext } from '../../runner/finish/judge-dataset.ts'
import { judgeStoredRun } from '../../runner/finish/judge-stored-run.ts'
import { datasetRunsOf, filesOf, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { EXIT, flagOption, textOption, textValue, type Command, type ExitCode, type Invocation } from '../command.ts'
import { exitCodeOf } from '../exit-code.ts'
import { printJudges } from '../describe-judges.ts'
import { pickOptions } from '../options.ts'
import { printMatrix } from '../print-matrix.ts'
import { chooseReporter } from '../progress/reporter.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'

async function judgeRun(setup: PreparedRun, invocation: Invocation): Promise<ExitCode> {
  const isJson = flagOption(invocation, 'json')
  const reporter = chooseReporter(isJson, invocation.stdout)
  const emit = (event: RunEvent): void => reporter.event(event)
  const stop = listenForStop((message) => emit({ type: 'notice', level: 'warning', message }), setup.root)
  try {
    const platform = choosePlatform(setup, invocation, emit)
    const runs = datasetRunsOf(setup, { platform, emit, drain: stop.drain, abort: stop.abort })
    const { outcome, datasets, failures } = await judgeStoredRun(runs, emit)
    reporter.end()
    const judged = datasets.map(({ datasetId }) => datasetId)
    if (!isJson) {
      await printMatrix(setup, judged, invocation.stdout)
      await printJudges(setup, invocation.stdout)
    }
    // The reporter has printed it with its step.
    if (failures[0] !== undefined) return exitCodeOf(failures[0])
    if (outcome === 'interrupted') return EXIT.interrupted
    const sections = await Promise.all(judged.map((id) => readJudgments(filesOf(setup, id).judgments)))
    const isComplete = sections.every((section) => section.state === 'read' && section.judgments.status === 'ok')
    return isComplete ? EXIT.ok : EXIT.cellsFailed
  } finally {
    reporter.end()
    stop.dispose()
  }
}

/** Round, seal and result of a human vote are stored beside the run's artifacts unless options name other files. */
function humanFiles(setup: PreparedRun, dataset: LadderDataset, invocation: Invocation) {
  const prefix = filesOf(setup, dataset.dataset.id).judgments.replace(/-judgments\.json$/, '')
  const file = (option: string, ending: string): string => {
    const given = textOption(invocation, option)
    return given === null ? `${prefix}-${ending}.json` : resolve(given)
  }
  return {
    roundFile: file('round', 'human-round'),
    sealFile: file('seal', 'human-seal'),
    votesFile: file('votes', 'human-votes'),
    resultFile: `${prefix}-human.json`,
  }
}

function onlyDataset(setup: PreparedRun): LadderDataset {
  if (setup.datasets.length !== 1) throw new InputError(['--dataset: name exactly one dataset'])
  return setup.datasets[0]!
}

async function humanExport(setup: PreparedRun, invocation: Invocation): Promise<ExitCode> {
  const dataset = onlyDataset(setup)
  const { roundFile, sealFile, votesFile } = humanFiles(setup, dataset, invocation)
  if (existsSync(votesFile))
    throw new InputError([`${votesFile} exists already: move it aside, or name another by --votes`])
  const files = filesOf(setup, dataset.dataset.id)
  const context = await storedContext(files, setup.runId, dataset.dataset.id)
  const input = await storedAnswers(files, {
    runId: setup.runId,
    datasetId: dataset.dataset.id,
    models: context.aliases?.map(({ model }) => model) ?? null,
    questionIds: context.questions?.map(({ id }) => id) ?? null,
  })
  const { round, blocked } = await exportHumanRound(input, {
    aliases: [...setup.experiment.aliases.keys()],
    reference: setup.judgePanel.reference,
    roundFile,
    sealFile,
  })
  await writeAtomic(votesFile, `${JSON.stringify(emptyBallot(round), null, 2)}\n`)
  const left = blocked.length === 0 ? '' : `; left out because of leaks: ${blocked.join(', ')}`
  invocation.stdout.write(
    [
      `${plural(round.sets.length, 'set')} to vote on: ${roundFile}${left}`,
      `a ballot to fill in, grades from 1 to 5 and the letter of the best or null: ${votesFile}`,
      `the order is sealed: ${sealFile}, away from the voter until the votes are in`,
      `commitment sha256 ${round.commitment.value}`,
      '',
    ].join('\n'),
  )
  return EXIT.ok
}

async function humanImport(setup: PreparedRun, invocation: Invocation): Promise<ExitCode> {
  const dataset = onlyDataset(setup)
  const { judgments } = filesOf(setup, dataset.dataset.id)
  const hasPanel = (await readJudgments(judgments)).state === 'read'
  const files = humanFiles(setup, dataset, invocation)
  const result = await importHumanVotes({
    ...files,
    judgmentsFile: hasPanel ? judgments : null,
  })
  const lines = [
    `${result.sets.voted} of ${plural(result.sets.offered, 'set')} voted on by ${result.rater}; the seal is the published one`,
    ...result.approaches.map(
      ({ model, mean, votes: best }) =>
        `  ${model}: ${mean === null ? 'no grade' : scoreWords(mean)}, ${plural(best, 'best vote')}`,
    ),
    ...result.agreement.map(({ judge, kappa, best }) => {
      const { value, interval } = kappa.estimate
      const range = interval === null ? '' : ` ${intervalWords(interval)}`
      return `  ${judge}: weighted kappa ${value === null ? 'not defined' : scoreWords(value)}${range}, same best answer ${best.same} of ${best.compared}`
    }),
    ...(hasPanel ? [] : [`  no usable ${basename(judgments)} in ${dirname(judgments)}: compared with no judge`]),
    files.resultFile,
  ]
  invocation.stdout.write(`${sanitizeForTerminal(lines.join('\n'))}\n`)
  return EXIT.ok
}

const ACTIONS: Readonly<Record<string, (setup: PreparedRun, invocation: Invocation) => Promise<ExitCode>>> = {
  run: judgeRun,
  'human-export': humanExport,
  'human-import': humanImport,
}

export const judgeCommand: Command = {
  name: 'judge',
  positionals: '<run | human export | human import>',
  options: {
    ...pickOptions('project', 'manifest', 'dataset', 'run-id', 'results', 'model-set', 'gateway', 'json'),
    ...pickOptions('judge-models', 'judge-endpoint', 'rotations', 'reference', 'concurrency'),
    round: textValue('FILE', 'the blinded sets; beside the run’s artifacts unless given'),
    seal: textValue('FILE', 'the sealed order; beside the run’s artifacts unless given'),
    votes: textValue('FILE', 'a person’s votes; beside the run’s artifacts unless given'),
  },
  collectsProblems: true,
  async run(invocation) {
    const name = invocation.positionals.join('-')
    if (!Object.hasOwn(ACTIONS, name))
      throw new InputError([`name one of ${Object.keys(ACTIONS).join(', ').replaceAll('-', ' ')}`])
    // A person's round needs no panel; judging by the panel is what the command is for.
    const setup = await setUpRun(invocation, { judge: { enabled: name === 'run' } })
    return ACTIONS[name]!(setup, invocation)
  },
}
