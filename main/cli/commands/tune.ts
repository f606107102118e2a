import { join, relative } from 'node:path'
import { DEFAULT_CONTEXT_BUDGET } from '../../../contract/evidence/context-budget.ts'
import { SearchMethod, TunedMetric, type SettingValues } from '../../../contract/evidence/tuning.ts'
import { isCloudModel } from '../../../contract/manifests/model-backends.ts'
import { ownParameters } from '../../../contract/manifests/flavors.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { durationWords, plural } from '../../../contract/words.ts'
import { nearestName } from '../../lib/text/nearest-name.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { wrap } from '../../lib/text/terminal-text.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { checkCorpus } from '../../manifests/experiment.ts'
import { checkGold } from '../../manifests/datasets/gold-problems.ts'
import { saveOwnFlavor } from '../../manifests/own-flavors.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { answersElsewhere } from '../../manifests/selection.ts'
import { tuningMarkdown, tuningPage } from '../../report/tuning/tuning-report.ts'
import { qualityWords, settingWords, tuningSentence, type TuningResult } from '../../report/tuning/tuning-result.ts'
import {
  alignedLines,
  callWords,
  heatMap,
  heatMapLines,
  ranked,
  SETTING_HEAD,
  settingCells,
} from '../../report/tuning/tuning-tables.ts'
import { corpusRootFor, datasetRunsOf, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { expectedCost, pastUsagesIn } from '../../runner/prepare/expected-cost.ts'
import { isRetrievalMetric } from '../../runner/tuning/ask-trial.ts'
import { planTuning, type PlannedTuning, type TuningWish } from '../../runner/tuning/plan-tuning.ts'
import { CHUNK_PARAMETERS } from '../../runner/tuning/search-space.ts'
import { runTuning, type TrialNews } from '../../runner/tuning/run-tuning.ts'
import { tuningFolder } from '../../runner/tuning/tuning-journal.ts'
import { costWords } from '../../../contract/words.ts'
import {
  decimalNumber,
  EXIT,
  flagOption,
  numberOption,
  textOption,
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
    metric: {
      type: 'string',
      hint: 'NAME',
      description: 'metric that is tuned for; the primary one of the project where it can be, else facts_found',
    },
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
    answers: {
      type: 'boolean',
      description: 'write an answer to each question too: for metrics of answers, and for prompts',
    },
    confirm: { type: 'boolean', description: 'open the holdout for the winner', default: true },
    name: { type: 'string', hint: 'NAME', description: 'name of the tuning; made of what is tuned unless given' },
    map: {
      type: 'string',
      hint: 'A,B',
      description: 'the two parameters of the map; the first two that have one unless given',
    },
    'save-flavor': { type: 'string', hint: 'NAME', description: 'keep the winner as a flavor of yours' },
    'dry-run': { type: 'boolean', description: 'show settings, calls and cost, and stop' },
    json: { type: 'boolean', description: 'print the result as one JSON object' },
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
    const wish = wishOf(invocation, setup, alias, assignments)
    const stop = listenForStop((message) => invocation.stderr.write(`${message}\n`))
    const platform = choosePlatform(setup, invocation, () => undefined)
    const [run] = datasetRunsOf(setup, { platform, emit: () => undefined, drain: stop.drain, abort: stop.abort })
    try {
      await checkCorpus(run!.experiment, run!.dataset, corpusRootFor(setup.inputs, platform))
      await checkGold(run!.experiment.root, run!.dataset)
      const planned = await planTuning(run!, wish)
      const lines = printer(invocation)
      for (const line of await planLines(planned, setup)) lines.note(line)
      if (flagOption(invocation, 'dry-run')) return EXIT.ok
      const result = await runTuning(run!, planned, {
        resultsDir: setup.resultsDir,
        confirm: flagOption(invocation, 'confirm'),
        onTrial: (news) => lines.note(trialLine(news, planned)),
      })
      const names = (textOption(invocation, 'map') ?? '').split(',').filter((name) => name !== '')
      const folder = tuningFolder(setup.resultsDir, result.name)
      await writeAtomic(join(folder, 'report.md'), tuningMarkdown(result, names.length === 0 ? null : names))
      await writeAtomic(join(folder, 'report.html'), tuningPage(result, names.length === 0 ? null : names))
      if (flagOption(invocation, 'json')) lines.out(JSON.stringify(result))
      else for (const line of resultLines(result, names.length === 0 ? null : names)) lines.out(line)
      lines.note(`Written: ${relative(process.cwd(), folder)}/report.html, report.md, result.json`)
      const flavor = textOption(invocation, 'save-flavor')
      if (flavor !== null) for (const line of await saveWinner(setup, result, flavor)) lines.note(line)
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

function wishOf(
  invocation: Invocation,
  { experiment }: PreparedRun,
  alias: TuningWish['alias'],
  assignments: readonly string[],
): TuningWish {
  const search = SearchMethod.safeParse(textOption(invocation, 'search'))
  if (!search.success)
    throw new InputError([
      `--search: expected ${SearchMethod.options.join(', ')}, got ${textOption(invocation, 'search')}`,
    ])
  const budget = experiment.evaluation.run.context_budget ?? DEFAULT_CONTEXT_BUDGET
  if (budget === 'none')
    throw new InputError([
      '--context-budget: name a number of tokens: with a budget of its own each setting would win by handing over more text',
    ])
  const answers = flagOption(invocation, 'answers')
  const name = textOption(invocation, 'name')
  if (name !== null && !/^[\w.-]{1,100}$/.test(name))
    throw new InputError([`--name: expected letters, digits, "_", "-" and "." only, got ${name}`])
  return {
    alias,
    assignments,
    search: search.data,
    trials: numberOption(invocation, 'trials'),
    seed: textOption(invocation, 'seed') ?? '1',
    share: numberOption(invocation, 'holdout') ?? SHARE,
    metric: metricOf(textOption(invocation, 'metric'), experiment.evaluation.metrics.primary ?? null, answers),
    contextBudget: budget,
    answers,
    name,
  }
}

function metricOf(named: string | null, primary: string | null, answers: boolean): TunedMetric {
  const isComputed = (name: string): boolean =>
    TunedMetric.safeParse(name).success && (answers || isRetrievalMetric(name))
  if (named === null) return primary !== null && isComputed(primary) ? (primary as TunedMetric) : 'facts_found'
  if (isComputed(named)) return named as TunedMetric
  if (TunedMetric.safeParse(named).success) throw new InputError([`--metric: ${named} needs answers: add --answers`])
  const meant = nearestName(named, TunedMetric.options)
  throw new InputError([
    `--metric: ${named} cannot be tuned for${meant === null ? '' : `, did you mean ${meant}?`} Known: ${TunedMetric.options.join(', ')}`,
  ])
}

/** What the tuning will do, before its first call. */
async function planLines(planned: PlannedTuning, setup: PreparedRun): Promise<string[]> {
  const { name, draft, wish, asked, openings, chunkings, leftOut, holdoutGroups } = planned
  const { label } = metricOfId(draft.metric)
  const development = draft.rounds.flat().length
  const { models } = setup.experiment
  const set = models.sets[setup.modelSet ?? models.default_set]
  const paid = (['embed', 'rerank', ...(wish.answers ? (['light_gen'] as const) : [])] as const).filter(
    (role) => set !== undefined && isCloudModel(set.roles[role]),
  )
  const rerank = draft.parameters['rerank'] === true || draft.settings.some((setting) => setting['rerank'] === true)
  const cost = wish.answers
    ? await expectedCost(setup, draft.dataset, asked.development + asked.holdout, pastUsagesIn(setup.resultsDir, {}))
    : null
  return [
    `${name}: ${plural(draft.settings.length - 1, 'setting')} of ${draft.tuned.join(', ')} against ${draft.alias} as it is, by ${label}, ${draft.context_budget} tokens handed over in every trial`,
    `${plural(development, 'question')} of development${draft.rounds.length > 1 ? ` in ${draft.rounds.length} rounds` : ''}, ${draft.holdout.length} held out in ${plural(holdoutGroups, 'group')}${leftOut > 0 ? `; ${plural(leftOut, 'question')} cannot be scored by ${label}` : ''}`,
    `Up to ${asked.development} + ${asked.holdout} questions asked; ${wish.answers ? 'each is answered' : 'no answer is written'}; each question is embedded once${chunkings > 1 ? ` for each of ${chunkings} chunkings, which are ingested by themselves` : ''}${rerank ? '; a setting with a reranker reranks each question' : ''}`,
    `${paid.length === 0 ? 'No model of these calls is paid for' : `Paid for: ${paid.map((role) => `${role} (${set!.roles[role].model})`).join(', ')}`}${cost === null ? '' : `; expected cost ${costWords(cost)}, by what such answers used in earlier runs`}`,
    ...(openings === 0
      ? []
      : [`This holdout was opened ${plural(openings, 'time')} before: the next confirmation is corrected for it`]),
  ]
}

function trialLine({ setting, values, round, mean, figures, isReused }: TrialNews, { draft }: PlannedTuning): string {
  const place = draft.rounds.length > 1 ? `round ${round + 1}, ` : ''
  const state = isReused ? 'kept' : durationWords(figures.wall_ms)
  const failures = figures.failed === 0 ? '' : `; ${figures.failed} failed, the first: ${figures.failure}`
  return `  ${place}${setting + 1} of ${draft.settings.length}  ${settingWords(values)}  ${mean === null ? 'no score' : qualityWords({ metric: draft.metric }, mean)}  (${state})${failures}`
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

/** Keeps the winner as a flavor; what a flavor cannot hold is printed. */
async function saveWinner(
  { experiment }: PreparedRun,
  { plan, winner, confirmed }: TuningResult,
  name: string,
): Promise<string[]> {
  if (winner === 0) return [`No flavor was saved: no setting is better than ${plan.alias} as it is`]
  const values = plan.settings[winner]!
  const { base } = experiment.aliases.get(plan.alias)!
  const schema = ownParameters(base)
  if (schema === null) return [`No flavor was saved: set ${settingWords(values)} in the file of ${plan.alias}`]
  const chunks: SettingValues = Object.fromEntries(Object.entries(values).filter(([key]) => isChunk(key)))
  const tuned = Object.fromEntries(Object.entries(values).filter(([key, value]) => !isChunk(key) && value !== null))
  const parameters = schema.parse({ ...plan.parameters, ...tuned })
  await saveOwnFlavor(experiment, name, { base, parameters })
  return [
    `Saved ${name}: ${settingWords(tuned)}${confirmed?.state === 'confirmed' ? '' : ', which the holdout did not confirm'}`,
    ...(Object.keys(chunks).length === 0
      ? []
      : [`Chunks are no part of a flavor: set ${settingWords(chunks)} in the ingestion profile of ${plan.dataset}`]),
  ]
}

const isChunk = (name: string): boolean => CHUNK_PARAMETERS.some((each) => each === name)
