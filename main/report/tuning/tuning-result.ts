// Sums a tuning up. In: its plan, the figures of its trials, and what the holdout showed. Out: the settings with their means, the winner, the frontier of quality, tokens and time,
// and one sentence that claims no more than the holdout shows. tuning-tables.ts, tuning-markdown.ts and tuning-html.ts write it.
import type { EditedQuestion, SettingValues, TrialFigures, TuningPlan } from '../../../contract/evidence/tuning.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { plural } from '../../../contract/words.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import type { Confirmed } from '../../statistics/tuning/confirm-winner.ts'
import { correctedTrials } from '../../statistics/tuning/corrected-trials.ts'
import { signedWords, valueWords } from '../words.ts'
import { editedHoldoutWords } from './edited-words.ts'

/** One setting over the questions of development that it was asked. */
export interface SettingResult {
  /** Its number in the plan; 0 is the alias as it is. */
  setting: number
  values: SettingValues
  questions: number
  /** Mean score; null where no question was scored. */
  mean: number | null
  /** Mean tokens handed over, and median seconds of a question without embedding it. */
  tokens: number | null
  seconds: number | null
  failed: number
  /** False where halving stopped it before the last round. */
  isComplete: boolean
  /** One-sided p-value on development, corrected over all trials; null for the alias itself and for halving, whose later rounds depend on the earlier ones. */
  p: number | null
  /** No other setting is at least as good in quality, tokens and time and better in one. */
  isOnFrontier: boolean
}

export interface TuningResult {
  schema_version: 1
  name: string
  plan: TuningPlan
  settings: SettingResult[]
  /** Number of the winner on development; 0 where no setting is better than the alias as it is. */
  winner: number
  development: { questions: number; clusters: number }
  holdout: { questions: number; clusters: number }
  /** Which time the holdout was opened, from 1; null while it is sealed. */
  opening: number | null
  confirmed: Confirmed | null
  /** Questions of the holdout that were not as they were when they were sealed; absent where all were. */
  edited?: EditedQuestion[]
  calls: TrialFigures['calls']
  /** Of the trials; reading and ingesting the corpus is not counted. */
  wall_ms: number
}

interface Cluster {
  id: string
  cluster: string
}

/** A setting with more failed questions than this share cannot win. */
const MOST_FAILED = 0.1
const TIE = 1e-12

/** Figures of each setting by number, over all rounds that it was in, in the order of the plan's rounds. */
export type FiguresBySetting = ReadonlyMap<number, TrialFigures>

/** Rounds of one setting as one. */
export function joinedFigures(rounds: readonly TrialFigures[]): TrialFigures {
  const sum = (of: (calls: TrialFigures['calls']) => number): number =>
    rounds.reduce((total, each) => total + of(each.calls), 0)
  return {
    scores: rounds.flatMap(({ scores }) => scores),
    tokens: rounds.flatMap(({ tokens }) => tokens),
    seconds: rounds.flatMap(({ seconds }) => seconds),
    failed: rounds.reduce((total, { failed }) => total + failed, 0),
    failure: rounds.find(({ failure }) => failure !== null)?.failure ?? null,
    calls: {
      questions: sum(({ questions }) => questions),
      embedded: sum(({ embedded }) => embedded),
      reranked: sum(({ reranked }) => reranked),
      chats: sum(({ chats }) => chats),
    },
    wall_ms: rounds.reduce((total, { wall_ms }) => total + wall_ms, 0),
  }
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

/** Mean of what is known; null without any. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const there = known(values)
  return there.length === 0 ? null : there.reduce((sum, value) => sum + value, 0) / there.length
}

function medianOf(values: readonly (number | null)[]): number | null {
  const sorted = known(values).toSorted((one, other) => one - other)
  if (sorted.length === 0) return null
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The settings with their means and corrected p-values; `development` are the questions in the order of the plan's rounds. */
export function settingResults(
  plan: TuningPlan,
  figures: FiguresBySetting,
  development: readonly Cluster[],
): SettingResult[] {
  const ps = correctedValues(plan, figures, development)
  const results = plan.settings.flatMap((values, setting): SettingResult[] => {
    const of = figures.get(setting)
    if (of === undefined) return []
    return [
      {
        setting,
        values,
        questions: of.scores.length,
        mean: meanOf(of.scores),
        tokens: meanOf(of.tokens),
        seconds: medianOf(of.seconds),
        failed: of.failed,
        isComplete: of.scores.length === development.length,
        p: ps.get(setting) ?? null,
        isOnFrontier: false,
      },
    ]
  })
  const complete = results.filter(({ isComplete, mean }) => isComplete && mean !== null)
  return results.map((each) => ({
    ...each,
    isOnFrontier: complete.includes(each) && !complete.some((other) => dominates(other, each)),
  }))
}

/** At least as good in all three, and better in one. */
function dominates(one: SettingResult, other: SettingResult): boolean {
  const gains = [
    one.mean! - other.mean!,
    (other.tokens ?? 0) - (one.tokens ?? 0),
    (other.seconds ?? 0) - (one.seconds ?? 0),
  ]
  return gains.every((gain) => gain >= 0) && gains.some((gain) => gain > 0)
}

function correctedValues(
  plan: TuningPlan,
  figures: FiguresBySetting,
  development: readonly Cluster[],
): Map<number, number> {
  const names = [...new Set(development.map(({ cluster }) => cluster))]
  if (plan.search === 'halving' || names.length < MIN_CLUSTERS) return new Map()
  const place = new Map(names.map((name, at) => [name, at]))
  const standard = figures.get(0)!.scores
  const settings = [...figures.keys()].filter((setting) => setting !== 0)
  const sums = settings.map((setting) => {
    const of = new Float64Array(names.length)
    for (const [at, score] of figures.get(setting)!.scores.entries()) {
      const before = standard[at] ?? null
      if (score !== null && before !== null) of[place.get(development[at]!.cluster)!]! += score - before
    }
    return of
  })
  const ps = correctedTrials(sums, plan.seed)
  return new Map(settings.map((setting, at) => [setting, ps[at]!]))
}

/** The best complete setting: highest mean, among equals the alias as it is, then fewer tokens, less time, the earlier one. */
export function winnerOf(results: readonly SettingResult[]): SettingResult {
  const able = results.filter(
    ({ isComplete, mean, failed, questions, setting }) =>
      setting === 0 || (isComplete && mean !== null && failed <= MOST_FAILED * questions),
  )
  return able.reduce((best, each) => {
    const gain = (each.mean ?? -Infinity) - (best.mean ?? -Infinity)
    if (gain > TIE) return each
    if (gain < -TIE || best.setting === 0) return best
    const tokens = (best.tokens ?? 0) - (each.tokens ?? 0)
    if (tokens !== 0) return tokens > 0 ? each : best
    return (each.seconds ?? 0) < (best.seconds ?? 0) ? each : best
  })
}

/** `alpha=0.75 rerank=true`. */
export const settingWords = (values: SettingValues): string =>
  Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === 'string' && value.length > 30 ? `(${value.length} characters)` : typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(' ')

/** `holdout opened for the 3rd time: corrected for it`; the first opening names what it leaves for later ones. */
function openingWords(opening: number, level: number): string {
  const share = `tested at ${Number(((1 - level) * 100).toPrecision(2))} %`
  return opening === 1
    ? `the holdout was opened for the first time, ${share}`
    : `the holdout was opened ${opening} times so far, corrected for it: ${share}`
}

/** States the result in one or two sentences, and which questions of its holdout were edited. */
export const tuningSentence = (result: TuningResult): string =>
  [foundSentence(result), ...editedHoldoutWords(result.edited)].join(' ')

function foundSentence({ plan, settings, winner, confirmed, opening, development, holdout }: TuningResult): string {
  const name = plan.metric
  const { label } = metricOfId(name)
  const tried = plural(plan.settings.length - 1, 'setting')
  if (winner === 0)
    return `${plan.settings.length === 2 ? 'The other setting is not' : `None of ${tried} is`} better than ${plan.alias} as it is on the ${plural(development.questions, 'question')} of development. The holdout stays sealed.`
  const best = settings.find(({ setting }) => setting === winner)!
  const words = settingWords(best.values)
  if (confirmed === null || opening === null) {
    const gain = best.mean! - settings[0]!.mean!
    return `${words} is the best of ${tried} on development (${label} ${signedWords(name, gain)}), which proves nothing: the best of many is partly luck. The holdout of ${plural(holdout.questions, 'question')} is still sealed.`
  }
  const { state, difference, low, high, level, questions, clusters } = confirmed
  const opened = openingWords(opening, level)
  if (state === 'too_few')
    return `Not tested: the holdout has ${plural(clusters, 'independent group')} of questions, and a test needs ${MIN_CLUSTERS}. ${words} was the best of ${tried} on development.`
  const interval = low === null || high === null ? '' : ` [${signedWords(name, low)}, ${signedWords(name, high)}]`
  const shown = `${label} ${signedWords(name, difference!)}${interval} on ${plural(questions, 'question')} that no trial had seen; ${opened}`
  const verdicts = {
    confirmed: `Confirmed: ${words} is better than ${plan.alias} as it is`,
    worse: `Refuted: ${words}, the best of ${tried} on development, is worse than ${plan.alias} as it is`,
    open: `Not confirmed: the holdout does not show that ${words}, the best of ${tried} on development, is better than ${plan.alias} as it is`,
  }
  return `${verdicts[state]}: ${shown}.`
}

/** A score in the words of its metric. */
export const qualityWords = (plan: Pick<TuningPlan, 'metric'>, value: number | null): string =>
  value === null ? 'none' : valueWords(plan.metric, value)
