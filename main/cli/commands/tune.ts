import { relative } from 'node:path'
import { SearchMethod } from '../../../contract/evidence/tuning.ts'
import { durationWords, plural } from '../../../contract/words.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { wrap } from '../../lib/text/terminal-text.ts'
import { checkCorpus } from '../../manifests/experiment.ts'
import { checkGold } from '../../manifests/datasets/gold-problems.ts'
import { InputError, splitList } from '../../manifests/runner-inputs.ts'
import { answersElsewhere } from '../../manifests/selection.ts'
import { writeTuningReport } from '../../report/tuning/tuning-report.ts'
import { tuningSentence, type TuningResult } from '../../report/tuning/tuning-result.ts'
import {
  alignedLines,
  callWords,
  heatMap,
  heatMapLines,
  ranked,
  SETTING_HEAD,
  settingCells,
} from '../../report/tuning/tuning-tables.ts'
import { corpusRootFor, datasetRunsOf } from '../../runner/prepare/prepare-run.ts'
import { planTuning } from '../../runner/tuning/plan-tuning.ts'
import { planWords, trialWords } from '../../runner/tuning/plan-words.ts'
import { runTuning } from '../../runner/tuning/run-tuning.ts'
import { saveWinner } from '../../runner/tuning/save-winner.ts'
import { tuningFolder } from '../../runner/tuning/tuning-journal.ts'
import { tuningWish, type TuningAsk } from '../../runner/tuning/tuning-wish.ts'
import {
  decimalNumber,
  EXIT,
  flag,
  flagOption,
  numberOption,
  textOption,
  textValue,
  wholeNumber,
  type Command,
  type Invocation,
} from '../command.ts'
import { pickOptions } from '../options.ts'
import { outputColumns } from '../progress/render-line.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'

const SHARE = 0.5
const SETTINGS_SHOWN = 10

export const tuneCommand: Command = {
  name: 'tune',
  positionals: 'APPROACH PARAMETER=VALUES...',
  options: {
    ...pickOptions(
      'project',
      'manifest',
      'dataset',
      'queries',
      'results',
      'model-set',
      'concurrency',
      'context-budget',
    ),
    metric: textValue(
      'NAME',
      'metric that is tuned for; the primary one of the project where it can be, else facts_found',
    ),
    search: {
      type: 'string',
      hint: 'grid|random|halving',
      description: 'how settings are chosen: all of them, drawn, or many on few questions and the best on all',
      default: 'grid',
    },
    trials: { ...wholeNumber(1, 1000, 50), description: 'settings that are drawn, for random and halving' },
    seed: { type: 'string', hint: 'TEXT', description: 'names every random choice', default: '1' },
    holdout: {
      ...decimalNumber({ above: 0, to: 0.9 }, SHARE),
      default: SHARE,
      description: 'share of the questions that no trial sees; that of the first tuning of a dataset stays',
    },
    answers: flag('write an answer to each question too: for metrics of answers, and for prompts'),
    confirm: { type: 'boolean', description: 'open the holdout for the winner', default: true },
    name: textValue('NAME', 'name of the tuning; made of what is tuned unless given'),
    map: textValue('A,B', 'the two parameters of the map; the first two that have one unless given'),
    'save-flavor': textValue('NAME', 'keep the winner as a flavor of yours'),
    'dry-run': flag('show settings, calls and cost, and stop'),
    json: flag('print the result as one JSON object'),
  },
  async run(invocation) {
    const [approach, ...assignments] = invocation.positionals
    if (approach === undefined)
      throw new InputError([
        'name the approach and what is tuned: rag-ladder tune hybrid-rag alpha=0:1:0.25 --dataset ID',
      ])
    if (textOption(invocation, 'dataset') === null) throw new InputError(['--dataset: name the dataset to tune on'])
    const setup = await setUpRun({ ...invocation, values: { ...invocation.values, models: approach, evaluate: false } })
    const elsewhere = answersElsewhere(setup.inputs)
    if (elsewhere !== null)
      throw new InputError([
        `${elsewhere} answers here: only the embedded platform takes other parameters with a question. Unset the address to tune`,
      ])
    const [alias] = setup.aliases
    if (setup.datasets.length !== 1 || alias === undefined || setup.aliases.length !== 1)
      throw new InputError(['tune one approach on one dataset: name one of each'])
    const wish = tuningWish(setup.experiment, alias, askedBy(invocation, assignments))
    const stop = listenForStop((message) => invocation.stderr.write(`${message}\n`), setup.root)
    const platform = choosePlatform(setup, invocation, () => undefined)
    const [run] = datasetRunsOf(setup, { platform, emit: () => undefined, drain: stop.drain, abort: stop.abort })
    try {
      await checkCorpus(run!.experiment, run!.dataset, corpusRootFor(setup.inputs, platform))
      await checkGold(run!.experiment.root, run!.dataset)
      const planned = await planTuning(run!, wish)
      const lines = printer(invocation)
      for (const line of await planWords(planned, setup)) lines.note(line)
      if (flagOption(invocation, 'dry-run')) return EXIT.ok
      const result = await runTuning(run!, planned, {
        resultsDir: setup.resultsDir,
        confirm: flagOption(invocation, 'confirm'),
        onTrial: (news) => lines.note(`  ${trialWords(news, planned)}`),
      })
      const names = splitList(textOption(invocation, 'map'))
      const folder = tuningFolder(setup.resultsDir, result.name)
      await writeTuningReport(folder, result, names)
      if (flagOption(invocation, 'json')) lines.out(JSON.stringify(result))
      else for (const line of resultLines(result, names)) lines.out(line)
      lines.note(`Written: ${relative(process.cwd(), folder)}/report.html, report.md, result.json`)
      const flavor = textOption(invocation, 'save-flavor')
      if (flavor !== null) for (const line of await saveWinner(setup.experiment, result, flavor)) lines.note(line)
      return EXIT.ok
    } finally {
      stop.dispose()
    }
  },
}

/** Results go to the output, notes beside them where the output is JSON. */
function printer(invocation: Invocation) {
  const { stdout, stderr, env } = invocation
  const columns = outputColumns(stdout, env)
  const isJson = flagOption(invocation, 'json')
  return {
    out: (line: string): void => void stdout.write(`${isJson ? line : sanitizeForTerminal(line)}\n`),
    note: (line: string): void =>
      void (isJson ? stderr : stdout).write(`${wrap(sanitizeForTerminal(line), columns, '  ').join('\n')}\n`),
  }
}

function resultLines(result: TuningResult, names: readonly string[] | null): string[] {
  const shown = ranked(result)
  const top = shown.filter((each, at) => at < SETTINGS_SHOWN || each.setting === 0 || each.isOnFrontier)
  const map = heatMap(result, names)
  const hidden = shown.length - top.length
  return [
    '',
    tuningSentence(result),
    '',
    ...alignedLines([[...SETTING_HEAD], ...top.map((each) => settingCells(each, result))]),
    ...(hidden === 0 ? [] : [`and ${plural(hidden, 'further setting')}, in report.md`]),
    '',
    ...(map === null ? [] : [...heatMapLines(map, result), '']),
    `${callWords(result)}, in ${durationWords(result.wall_ms)}`,
  ]
}

function askedBy(invocation: Invocation, assignments: readonly string[]): TuningAsk {
  const search = SearchMethod.safeParse(textOption(invocation, 'search'))
  if (!search.success)
    throw new InputError([
      `--search: expected ${SearchMethod.options.join(', ')}, got ${textOption(invocation, 'search')}`,
    ])
  return {
    assignments,
    search: search.data,
    trials: numberOption(invocation, 'trials'),
    seed: textOption(invocation, 'seed') ?? '1',
    share: numberOption(invocation, 'holdout') ?? SHARE,
    metric: textOption(invocation, 'metric'),
    answers: flagOption(invocation, 'answers'),
    name: textOption(invocation, 'name'),
  }
}
