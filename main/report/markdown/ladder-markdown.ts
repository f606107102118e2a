import { cloudApproaches, cloudWords } from '../../../core/evidence/cloud-use.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { artifactNameOf, metricNamed, metricsIn } from '../../../contract/metrics/metrics.ts'
import { countWords, plural, rungPairsWords } from '../../../contract/words.ts'
import { comparedMetric, metricOf, type ComparedName } from '../aggregate/aggregate-access.ts'
import { UNEQUAL_SIGN } from '../tables/coverage-notes.ts'
import { modelCaution } from '../tables/findings.ts'
import type { PageArtifact } from '../html/run-facts.ts'
import { leaderboard, type RungFigure } from '../tables/leaderboard.ts'
import { inLadderOrder } from '../csv/long-csv.ts'
import { approachCode, code, columnsFrom, md, mdTable } from './markdown-text.ts'
import { LEVEL_HEADS, LEVEL_NOTE, levelInversions, levelRows } from '../tables/measured-levels.ts'
import { metricGlossaryLines } from '../tables/metric-glossary.ts'
import { isScoreOfCells } from '../aggregate/metric-outcome.ts'
import { ladderDecisionWords, primaryMetric, useLegend, useWords } from '../aggregate/metric-use.ts'
import {
  PARAPHRASE_HEADS,
  PARAPHRASE_NOTE,
  paraphraseTables,
  type ParaphraseDifference,
} from '../tables/paraphrase-differences.ts'
import { unusableLines, type UnusableFile } from '../publication/results-folder.ts'
import { decidedLine, intervalWords, nameWords, standingWords, STATE_SIGNS, STATE_WORDS, valueWords } from '../words.ts'

/** Metrics of the ladder in Markdown; the HTML page has more. */
export const LADDER_METRICS: readonly ComparedName[] = metricsIn('board').map(artifactNameOf)

/** Approaches by their mean over the rungs, and what is decided on each rung; empty when no approach has a score. Aggregates in ladder order. */
export function leaderLines(aggregates: readonly Aggregate[], name: ComparedName): string[] {
  const rows = leaderboard(aggregates, name).map(({ alias, rank, mean, rungs, standing }) => [
    rank === null ? '–' : String(rank),
    approachCode(alias.model),
    mean === null ? '–' : valueWords(name, mean),
    ...rungs.map((figure, rung) => rungText(aggregates[rung]!, name, alias.model, figure)),
    standingWords(standing),
  ])
  if (rows.length === 0) return []
  const heads = aggregates.map(({ dataset }) => `${dataset.complexity_level} ${md(dataset.label)}`)
  const head = ['rank', 'approach', 'mean of levels', ...heads, 'pairs']
  const right = columnsFrom(2, head.length).add(0)
  const decided = aggregates.flatMap((aggregate) => {
    const compared = comparedMetric(aggregate, name)
    return compared === null ? [] : [`- ${md(aggregate.dataset.label)}: ${decidedLine(compared)}`]
  })
  const use = [
    useWords(aggregates, name),
    ...(metricNamed(name)?.class === 'operational' ? ['Means of the answers; the verdict names medians.'] : []),
    ...(name === primaryMetric(aggregates) ? [ladderDecisionWords(aggregates)] : []),
  ]
  return [
    ...mdTable(head, rows, right),
    '',
    md(use.filter((text) => text !== '').join(' ')),
    ...(decided.length === 0 ? [] : ['', ...decided]),
  ]
}

function rungText(aggregate: Aggregate, name: ComparedName, model: string, figure: RungFigure | null): string {
  if (figure === null) return stateText(aggregate, name, model)
  const { mean, interval, n, expected, unequal, common, failed } = figure
  const value = `${valueWords(name, mean)}${unequal ? UNEQUAL_SIGN : ''}`
  const shared = common === null ? '' : `${valueWords(name, common.mean)} of ${common.n} shared`
  return [
    value,
    intervalWords(name, interval),
    `(${n}/${expected})`,
    shared,
    failed === 0 ? '' : `${STATE_SIGNS.timeout} ${failed} failed`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function stateText(aggregate: Aggregate, name: ComparedName, model: string): string {
  const approach = aggregate.approaches.find((each) => each.model === model)
  if (approach === undefined) return `${STATE_SIGNS.not_run} not run`
  if (!isScoreOfCells(metricNamed(name))) return 'none'
  const summary = metricOf(approach, name)
  if (summary === undefined) return `${STATE_SIGNS.disabled} not requested`
  return `${STATE_SIGNS[summary.state]} ${STATE_WORDS[summary.state]} (0/${summary.expected})`
}

const LEADER_LEGEND =
  '`0.83 [0.77, 0.88] (21/24)`: mean, its 95 % interval, scored of expected answers. Rows are in the order of the mean over the levels, level 0 left out, of the questions that all approaches of a level share where they are scored on different ones; those without a score on every level, on at least half as many answers as the best covered approach, or by latency with a failed call, come last and have no rank. The rank is of tests: 1 where none found another approach better, one more for each that is; there is none where no pair is decided. Tested pairs, over all datasets: ▲ better, ▼ worse, · equivalent or open; open is no evidence that two approaches are equal.'

/** Returns how the tables of `leaderLines` are read. */
export function leaderLegend(aggregates: readonly Aggregate[]): string {
  const several = rungPairsWords(aggregates.length)
  return several === null ? LEADER_LEGEND : `${LEADER_LEGEND} ${several}.`
}

/** The levels as declared and as measured; empty for results of before. */
export function levelLines(aggregates: readonly Aggregate[]): string[] {
  const rows = levelRows(aggregates).map(([level = '', label = '', ...rest]) => [level, md(label), ...rest])
  if (rows.length === 0) return []
  return [
    '',
    '## How relational the datasets are',
    '',
    LEVEL_NOTE,
    '',
    ...mdTable(LEVEL_HEADS, rows, columnsFrom(2, LEVEL_HEADS.length)),
    ...levelInversions(aggregates).flatMap((text) => ['', `${md(text)}.`]),
  ]
}

/** The report of a ladder in Markdown; equal input gives equal text. */
export function ladderMarkdown(
  aggregates: readonly Aggregate[],
  artifacts: readonly PageArtifact[],
  unusable: readonly UnusableFile[] = [],
  paraphrases: readonly ParaphraseDifference[] = [],
): string {
  const ordered = inLadderOrder(aggregates)
  const runs = [...new Set(ordered.map(({ run_id }) => run_id))].map(code).join(', ')
  const [answered, cells] = [
    ordered.reduce((sum, aggregate) => sum + aggregate.cells.ok, 0),
    ordered.reduce((sum, aggregate) => sum + aggregate.cells.expected, 0),
  ]
  const boards = LADDER_METRICS.flatMap((name) => {
    const lines = leaderLines(ordered, name)
    return lines.length === 0 ? [] : ['', `## ${nameWords(name)}`, '', ...lines]
  })
  const files = artifacts.map(({ datasetId, href, sha256 }) => [
    `[${code(href)}](${encodeURI(href)})`,
    code(datasetId),
    code(sha256),
  ])
  const caution = modelCaution(ordered)
  const cloud = cloudWords(cloudApproaches(ordered))
  return [
    '# Ladder report',
    '',
    `Run ${runs}: ${plural(ordered.length, 'dataset')}, ${countWords(answered)} of ${plural(cells, 'answer')}.`,
    ...(caution === null ? [] : ['', `> ${md(caution)}`]),
    ...(cloud === null ? [] : ['', `> ${md(cloud)}`]),
    '',
    leaderLegend(ordered),
    '',
    md(useLegend(ordered)),
    ...levelLines(ordered),
    ...boards,
    ...paraphraseTables(paraphrases).flatMap(({ title, rows }, at) => [
      ...(at === 0 ? ['', '## In other words', '', PARAPHRASE_NOTE] : []),
      '',
      `### ${md(title)}`,
      '',
      ...mdTable(PARAPHRASE_HEADS, rows, columnsFrom(1, PARAPHRASE_HEADS.length)),
    ]),
    '',
    '## How the metrics are defined',
    '',
    ...metricGlossaryLines(ordered),
    ...(unusable.length === 0
      ? []
      : [
          '',
          '## Files that were left out',
          '',
          ...unusableLines(unusable).map((line) => `- ${STATE_SIGNS.error} ${md(line)}`),
        ]),
    '',
    '## Artifacts',
    '',
    ...(files.length === 0 ? ['None.'] : mdTable(['file', 'dataset', 'SHA-256'], files, new Set())),
    '',
  ].join('\n')
}
