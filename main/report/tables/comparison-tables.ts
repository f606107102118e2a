import type { Aggregate, ComparedMetric } from '../../../contract/evidence/aggregate.ts'
import { pairState } from '../../../core/evidence/pair-state.ts'
import type { PairComparison } from '../../../contract/evidence/statistics.ts'
import { artifactNameOf, metricNamed, metricsIn } from '../../../contract/metrics/metrics.ts'
import { countWords, plural, pWords, ratioWords, scopeWords } from '../../../contract/words.ts'
import {
  baselineOf,
  generationScatter,
  JUDGE_PARTS,
  judgeScatter,
  pairAgainst,
  shareWords,
  type ComparedName,
} from '../aggregate/aggregate-access.ts'
import { approachCode, code, columnsFrom, md, mdTable } from '../markdown/markdown-text.ts'
import { censoredIn, useLegend, useWords } from '../aggregate/metric-use.ts'
import { decidedLine, intervalWords, nameWords, PAIR_SIGNS, PAIR_WORDS, signedWords } from '../words.ts'

/** Metrics that get a table of their own; what is decided in the others is in the last table. */
const DETAILED: readonly string[] = metricsIn('board').map(artifactNameOf)
const MOST_DECIDED = 200

const nameOf = ({ metric }: ComparedMetric): ComparedName => metric as ComparedName

/** Returns how questions were grouped, each main metric against the baseline, and every pair that is decided. */
export function comparisonLines(aggregate: Aggregate): string[] {
  const { comparisons } = aggregate
  const baseline = baselineOf(aggregate)
  if (comparisons === null || baseline === null) return ['Not compared.']
  const { metrics } = comparisons
  if (metrics.every(({ pairs }) => pairs.length === 0)) return ['There is one approach only.']
  const detailed = metrics.filter(({ metric }) => DETAILED.includes(metric))
  return [
    `${groupWords(aggregate)} Differences are against ${code(baseline.model)}; all pairs are in the aggregate file. ${md(useLegend([aggregate]))}`,
    ...detailed.flatMap((compared) => ['', ...againstBaseline(aggregate, compared, baseline.model)]),
    '',
    ...decidedLines(metrics),
  ]
}

function groupWords({ comparisons }: Aggregate): string {
  const { basis, questions, clusters, largest, links_cut } = comparisons!.clusters
  if (basis === 'question') return `No two of the ${plural(questions, 'question')} share a gold document.`
  if (basis === 'gold_passages')
    return `The ${plural(questions, 'question')} rest on few documents and fall into ${plural(clusters, 'independent group')} that share gold passages, the largest of ${largest} (a test counts those with a scored question): ${scopeWords(comparisons!.clusters)!}.`
  const cut = links_cut === 0 ? '' : `, ${plural(links_cut, 'link')} between them cut`
  return `The ${plural(questions, 'question')} fall into ${plural(clusters, 'independent group')} that share gold documents, the largest of ${largest}${cut}; a test counts those with a scored question.`
}

function againstBaseline(aggregate: Aggregate, compared: ComparedMetric, baseline: string): string[] {
  const name = nameOf(compared)
  const rows = compared.approaches
    .filter(({ model }) => model !== baseline)
    .map(({ model }) => {
      const pair = pairAgainst(compared, model, baseline)
      return [approachCode(model), ...(pair === null ? [] : pairCells(name, pair))]
    })
  return [
    `**${nameWords(name)}**${compared.better === 'lower' ? ' (lower is better)' : ''}: ${decidedLine(compared)}. ${md(useWords([aggregate], name))}${metricNamed(name)?.class === 'operational' ? censoredWords(aggregate) : ''}`,
    '',
    ...mdTable(['approach', ...PAIR_HEAD], rows, columnsFrom(1, PAIR_HEAD.length + 1)),
  ]
}

/** Whose latencies leave cells out, because they failed. */
function censoredWords(aggregate: Aggregate): string {
  const censored = censoredIn(aggregate)
  if (censored.length === 0) return ''
  const listed = censored.map(({ model, failed, expected }) => `${code(model)} (${failed} of ${expected})`).join(', ')
  return ` Answers that failed or timed out have no latency, and no approach is decided faster by them: ${listed}.`
}

const PAIR_HEAD = ['difference', '95 %', 'p (Holm)', 'decision', 'wins–ties–losses', 'n']

function pairCells(name: ComparedName, pair: PairComparison): string[] {
  const { difference, p_adjusted, wins, ties, losses } = pair
  const state = pairState(pair)
  if (difference.value === null) return ['none', '', '', `${PAIR_SIGNS.not_tested} ${PAIR_WORDS.not_tested}`, '', '0']
  return [
    signedWords(name, difference.value),
    pair.ratio === undefined ? intervalWords(name, difference.interval) || 'none' : ratioWords(pair.ratio),
    p_adjusted === null || state === 'not_tested' ? '' : pWords(p_adjusted),
    `${PAIR_SIGNS[state]} ${PAIR_WORDS[state]}`,
    `${wins}–${ties}–${losses}`,
    String(difference.n),
  ]
}

function decidedLines(metrics: readonly ComparedMetric[]): string[] {
  const decided = metrics.flatMap((compared) =>
    compared.pairs
      .filter(({ decision }) => decision !== 'undecided')
      .map((pair) => [nameWords(nameOf(compared)), code(pair.a), code(pair.b), ...pairCells(nameOf(compared), pair)]),
  )
  if (decided.length === 0) return ['No pair is decided in any metric.']
  const more = decided.length - MOST_DECIDED
  return [
    '**Every decided pair**',
    '',
    ...mdTable(['metric', 'a', 'b', ...PAIR_HEAD], decided.slice(0, MOST_DECIDED), columnsFrom(3, 9)),
    ...(more > 0 ? ['', `… and ${countWords(more)} more in the evaluation file.`] : []),
  ]
}

/** Returns where scores and grades scatter; empty for a run with one answer per question and fewer than two judges. */
export function varianceLines(aggregate: Aggregate): string[] {
  const metrics = generationScatter(aggregate)
  const judged = judgeScatter(aggregate)
  const scores = mdTable(
    ['approach', ...metrics.map(({ name }) => nameWords(name))],
    aggregate.approaches.map(({ model }) => [
      approachCode(model),
      ...metrics.map(({ shares }) => md(shareWords(shares.get(model)))),
    ]),
    columnsFrom(1, metrics.length + 1),
  )
  const grades = mdTable(
    ['approach', ...JUDGE_PARTS.map(([, words]) => words)],
    judged.map(({ model, components }) => [
      approachCode(model),
      ...JUDGE_PARTS.map(([part]) => md(shareWords(components[part]))),
    ]),
    columnsFrom(1, JUDGE_PARTS.length + 1),
  )
  return [
    ...(metrics.length === 0
      ? []
      : [
          `Share of the variance that lies between the ${aggregate.repeats} answers to one question; the rest lies between questions, and more repetitions do not narrow that.`,
          '',
          ...scores,
        ]),
    ...(metrics.length === 0 || judged.length === 0 ? [] : ['']),
    ...(judged.length === 0 ? [] : ['Shares of the variance of the judges’ grades.', '', ...grades]),
    ...(metrics.length + judged.length === 0
      ? []
      : [
          '',
          'A dash: the design cannot separate it, and the next wider part contains it. \\*: the estimate came out negative.',
        ]),
  ]
}
