import { cloudApproaches, cloudWords } from '../../../core/evidence/cloud-use.ts'
import { stripVTControlCharacters } from 'node:util'
import { approachLabel } from '../../../contract/approaches.ts'
import type { Aggregate, ApproachSummary, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import { METRIC_LABELS, metricOfId, metricsIn } from '../../../contract/metrics/metrics.ts'
import {
  durationWords,
  countWords,
  equalWords,
  plural,
  rungPairsWords,
  scopeWords,
  scoreWords,
} from '../../../contract/words.ts'
import { oneLine } from '../../lib/text/sanitize-for-terminal.ts'
import { displayWidth, shorten, wrap } from '../../lib/text/terminal-text.ts'
import { comparedMetric, metricOf } from '../aggregate/aggregate-access.ts'
import { budgetNotes, budgetTable, handedOverWords, hasAmounts, protocolRows } from '../tables/budget-tables.ts'
import { factsFound } from '../../../contract/metrics/facts-found.ts'
import { coverageNotes, UNEQUAL_SIGN } from '../tables/coverage-notes.ts'
import { ingestionWords } from '../tables/ingestion-words.ts'
import { inLadderOrder } from '../csv/long-csv.ts'
import { levelInversions, levelWords } from '../tables/measured-levels.ts'
import type { ScoreMetric } from '../aggregate/metric-outcome.ts'
import { isRuleGraded, primaryMetric } from '../aggregate/metric-use.ts'
import { decidedWords, decisionsOf, scoreCell, stateSegment, valueWidth } from './table-cells.ts'
import {
  approachMark,
  fitted,
  GAP,
  layoutTable,
  paint,
  widthForAll,
  type FittedTable,
  type Segment,
  type Shape,
  type Table,
  type TableColumn,
  type TableRow,
} from './terminal-table.ts'
import { verdictsOf } from '../verdict/verdict.ts'
import { nameWords, STATE_SIGNS, STATE_WORDS } from '../words.ts'

interface MatrixTableOptions {
  /** Width to fit into; 100 when not given. */
  columns?: number
  /** False writes no escape codes at all. */
  color?: boolean
}

const DEFAULT_WIDTH = 100
/** Model-graded metrics beside those that every run has. */
const MAX_GRADED = 2
const MAX_NOTES = 10
/** Columns that every run has, as far as the terminal is wide enough. */
const ALWAYS = metricsIn('terminal').map(({ id }) => id as ScoreMetric)

type Alias = Pick<ApproachSummary, 'model' | 'base_model' | 'flavor'>

/** The result matrix of one or more dataset runs for a terminal: no line is wider than asked for, nothing missing looks like a number. */
export function renderMatrixTable(aggregates: readonly Aggregate[], options: MatrixTableOptions = {}): string {
  const { columns: width = DEFAULT_WIDTH, color = false } = options
  const ordered = inLadderOrder(aggregates)
  const primary = primaryMetric(ordered)
  const isScored = (name: ScoreMetric): boolean =>
    ordered.some(({ approaches }) => approaches.some((approach) => (metricOf(approach, name)?.scored ?? 0) > 0))
  const metric = ALWAYS.find((each) => each === primary) ?? ALWAYS.find(isScored) ?? ALWAYS[0]!
  const marks = marksOf(ordered)
  // Aggregates of earlier versions lack metrics that were added later.
  const always = ALWAYS.filter((name) =>
    ordered.some(({ approaches }) => approaches.some((approach) => metricOf(approach, name) !== undefined)),
  )
  const view: View = { width, color, metric, always, marks, rungs: ordered.length }
  const datasets = ordered.map((aggregate) => datasetLines(aggregate, view))
  // Notes that go for every dataset stand once, below them.
  const common =
    ordered.length < 2 ? [] : datasets[0]!.notes.filter((note) => datasets.every(({ notes }) => notes.includes(note)))
  const sections = datasets.map(({ head, notes, tail }) => [
    ...head,
    ...noteLines(
      notes.filter((note) => !common.includes(note)),
      view,
    ),
    ...tail,
  ])
  if (ordered.length > 1)
    sections.push([
      ...ladderLines(ordered, view),
      ...noteLines([...levelInversions(ordered).map(oneLine), ...common], view),
    ])
  sections.push(resultLines(ordered, view))
  const shown = [headLine(ordered, view), '', ...sections.flatMap((section) => [...section, ''])]
  const lines = [...shown, ...legendLines(stripVTControlCharacters(shown.join('\n')), view)]
  return `${lines.join('\n')}\n`
}

interface View {
  width: number
  color: boolean
  /** The score of the first column and of the closing table of all datasets: the primary metric where the run has one. */
  metric: ScoreMetric
  /** Scores that have a column whatever the run asked for. */
  always: readonly ScoreMetric[]
  marks: ReadonlyMap<string, string>
  rungs: number
}

function marksOf(aggregates: readonly Aggregate[]): Map<string, string> {
  const aliases = aggregates.flatMap((aggregate): Alias[] => [...aggregate.approaches, ...aggregate.unavailable])
  const marks = new Map<string, string>()
  const flavors = new Map<string, number>()
  for (const { model, base_model, flavor } of aliases) {
    if (marks.has(model)) continue
    const index = flavors.get(base_model) ?? 0
    if (flavor !== null) flavors.set(base_model, index + 1)
    marks.set(model, approachMark(flavor, index))
  }
  return marks
}

function headLine(aggregates: readonly Aggregate[], { width, color }: View): string {
  const runs = [...new Set(aggregates.map((aggregate) => aggregate.run_id))].join(', ')
  const approaches = new Set(aggregates.flatMap((aggregate) => aggregate.approaches.map((approach) => approach.model)))
  const rest = ` · run ${runs} · ${plural(aggregates.length, 'dataset')} × ${approaches.size} ${approaches.size === 1 ? 'approach' : 'approaches'}`
  return paint(
    [{ text: 'RAG Ladder', style: 'bold' }, { text: shorten(oneLine(rest).replace(/^/, ' '), width - 10) }],
    color,
  )
}

function titleLine(aggregate: Aggregate, { width, color }: View): string {
  const { dataset, questions, repeats, ingestion, reproducibility } = aggregate
  const label = shorten(oneLine(dataset.label), Math.floor(width / 2))
  const models = reproducibility?.runtime.models?.set
  const factsWith = (corpus: string | undefined): string =>
    oneLine(
      [
        `level ${dataset.complexity_level}`,
        `${plural(questions.length, 'question')}${repeats === 1 ? '' : ` × ${repeats}`}`,
        ...(corpus === undefined ? [] : [`corpus ${corpus.slice(0, 12)}`]),
        ...(models === undefined ? [] : [`models ${models}`]),
      ].join(' · '),
    )
  const room = width - displayWidth(label) - 2
  const facts = factsWith(ingestion?.content_digest)
  // Which models answered is more informative than the corpus's digest.
  const shown = shorten(displayWidth(facts) <= room ? facts : factsWith(undefined), room)
  const gap = ' '.repeat(Math.max(2, width - displayWidth(label) - displayWidth(shown)))
  return paint([{ text: label, style: 'bold' }, { text: gap }, { text: shown, style: 'dim' }], color)
}

const rule = ({ width, color }: Pick<View, 'width' | 'color'>): string =>
  paint([{ text: '─'.repeat(width), style: 'dim' }], color)

interface DatasetLines {
  head: string[]
  /** States how the table is to be read, a text each. */
  notes: string[]
  tail: string[]
}

function datasetLines(aggregate: Aggregate, view: View): DatasetLines {
  const [first = [], ...graded] = aggregate.metrics.slice(0, MAX_GRADED).map((metric): ScoreMetric[] => [metric])
  // A narrow terminal drops columns from the right: what decides about the run comes before what rules graded.
  const metrics = [...new Set<ScoreMetric>([view.metric, ...view.always, ...first, ...graded.flat()])]
  const build = (shape: Shape) => datasetTable(aggregate, metrics, shape, view)
  const table = fitted(view.width, metrics.length, build)
  return {
    head: [
      titleLine(aggregate, view),
      rule(view),
      ...layoutTable(table.columns, table.rows, table.widths, view.color),
      rule(view),
      ...wrap(decidedWords(aggregate, view.metric), view.width, '  ').map((line) =>
        paint([{ text: line, style: 'bold' }], view.color),
      ),
    ],
    notes: [
      ...[levelWords(aggregate), ingestionWords(aggregate)].filter((note) => note !== null),
      ...rungNotes(aggregate, view),
      ...useNotes(aggregate, metrics, view),
      ...leftOutNotes(metrics, table, widthForAll(metrics.length, build), view),
    ],
    tail: [
      ...coverageLines(aggregate, metrics.slice(0, table.scores), view),
      ...budgetLines(aggregate, view),
      ...protocolLines(aggregate, view),
    ],
  }
}

const noteLines = (notes: readonly string[], { width, color }: View): string[] =>
  notes.flatMap((note) => wrap(note, width, '  ')).map((line) => paint([{ text: line, style: 'dim' }], color))

/** Facts found in the first tokens of what each approach handed over, under the table; nothing where no row tells. */
function budgetLines(aggregate: Aggregate, view: View): string[] {
  const { budgets, rows } = budgetTable(aggregate)
  if (budgets.length === 0 || !hasAmounts(aggregate)) return []
  const table = fitted(view.width, budgets.length, ({ nameWidth, scores }) => ({
    columns: [
      { head: '  in the first … tokens', align: 'left' },
      ...budgets.slice(0, scores).map((budget) => ({ head: countWords(budget), align: 'right' as const })),
    ],
    rows: rows.map(({ approach, cells }) => ({
      cells: [nameCell(approach, nameWidth, view), ...cells.slice(0, scores).map((text) => [{ text }])],
    })),
  }))
  return [
    '',
    paint(
      [
        { text: `${factsFound.label} by text handed over`, style: 'bold' },
        { text: ' (all of a question’s facts)', style: 'dim' },
      ],
      view.color,
    ),
    ...layoutTable(table.columns, table.rows, table.widths, view.color),
    ...noteLines(budgetNotes(aggregate).slice(0, -1), view),
  ]
}

/**
 * Lists what was equal between approaches and what not; with the values where the run has one dataset, since others repeat nearly all of them and
 * reports have them. Nothing for one approach and in results of before.
 */
function protocolLines(aggregate: Aggregate, view: View): string[] {
  const rows = protocolRows(aggregate)
  if (rows.length === 0) return []
  const byState = Map.groupBy(rows, ({ equal }) => equalWords(equal))
  const lines = [...byState].flatMap(([state, parts]) =>
    view.rungs === 1
      ? parts.map(({ part, values }) => `${state}: ${part}${values === state ? '' : ` (${values})`}`)
      : [`${state}: ${parts.map(({ part }) => part).join(', ')}`],
  )
  return [
    '',
    paint([{ text: 'What the approaches share', style: 'bold' }], view.color),
    ...noteLines(lines.map(oneLine), view),
  ]
}

/** Returns what is decided: a headline per dataset, and a line for each further sentence. */
const resultLines = (aggregates: readonly Aggregate[], { width, color }: View): string[] => [
  paint([{ text: 'Result', style: 'bold' }], color),
  rule({ width, color }),
  ...verdictsOf(aggregates).flatMap(({ sentences: [headline = '', ...rest] }) => [
    ...wrap(oneLine(headline), width, '  '),
    ...rest.flatMap((sentence) =>
      wrap(oneLine(sentence), width - 4).map((line, at) => `${at === 0 ? '  · ' : '    '}${line}`),
    ),
  ]),
]

/** Why the result below the tables may leave open what a table decides; nothing where it decides nothing. */
function rungNotes(aggregate: Aggregate, { metric, rungs }: View): string[] {
  const text = rungPairsWords(rungs)
  const decided = comparedMetric(aggregate, metric)?.decided.decided ?? 0
  return text === null || decided === 0 ? [] : [text]
}

/** Which metric decides about the run, and which ones rules graded. */
function useNotes(aggregate: Aggregate, metrics: readonly ScoreMetric[], { metric }: View): string[] {
  const primary = primaryMetric([aggregate])
  const ruled = metrics.filter((each) => isRuleGraded([aggregate], each)).map((each) => METRIC_LABELS[each])
  const scope = aggregate.comparisons === null ? null : scopeWords(aggregate.comparisons.clusters)
  return [
    ...(scope === null || decidedWords(aggregate, metric) === '' ? [] : [scope]),
    ...(primary === null || decidedWords(aggregate, metric) === ''
      ? []
      : [`${nameWords(primary)} is the primary metric, every other one is exploratory`]),
    ...(ruled.length === 0
      ? []
      : [`${ruled.join(', ')}: graded by built-in rules, ${ruled.length === 1 ? 'ranks' : 'rank'} no approach`]),
  ]
}

/** Returns what this width has no room for, and how to see it. */
function leftOutNotes(metrics: readonly ScoreMetric[], table: FittedTable, needed: number, view: View): string[] {
  const missing = [
    ...metrics.slice(table.scores).map((metric) => METRIC_LABELS[metric]),
    ...(table.decisions ? [] : ['the comparison with a baseline']),
  ]
  if (missing.length === 0) return []
  return [
    `${view.width} columns have no room for ${missing.join(', ')}: a terminal of ${needed} shows all, or COLUMNS=${needed}`,
  ]
}

function nameCell({ model, base_model }: Alias, nameWidth: number, { marks }: View): Segment[] {
  return [{ text: marks.get(model)!, style: base_model }, { text: ` ${shorten(approachLabel(model), nameWidth)}` }]
}

function datasetTable(aggregate: Aggregate, metrics: readonly ScoreMetric[], shape: Shape, view: View): Table {
  const shown = metrics.slice(0, shape.scores)
  const judged = judgeMeans(aggregate)
  const decisions = shape.decisions ? decisionsOf(aggregate, view.metric) : null
  const [leading, ...others] = shown
  // The narrowest shape has no room for it.
  const showsTokens = shape.decisions && hasAmounts(aggregate)
  const countWidth = Math.max(...aggregate.approaches.map(({ cells }) => String(cells.expected).length * 2 + 1), 3)
  const columns: TableColumn[] = [
    { head: '  approach', align: 'left' },
    { head: 'answers', align: 'right' },
    scoreHead(leading!, aggregate),
    ...(decisions === null ? [] : [{ head: decisions.head, align: 'left' as const }]),
    ...others.map((metric) => scoreHead(metric, aggregate)),
    ...(judged === null ? [] : [{ head: 'judges 1–5', align: 'right' as const }]),
    ...(showsTokens ? [{ head: 'tokens', align: 'right' as const }] : []),
    { head: 'median', align: 'right' },
  ]
  const widest = valueWidth(
    aggregate.approaches.flatMap((each) => shown.map((metric) => shownScore(aggregate, each, metric))),
  )
  const rows = aggregate.approaches.map((approach): TableRow => {
    const median = approach.operational.latency_ms.median
    const layout = { barWidth: shape.barWidth, valueWidth: widest, countWidth, barStyle: approach.base_model }
    return {
      cells: [
        nameCell(approach, shape.nameWidth, view),
        cellsCell(approach),
        scoreCell(shownScore(aggregate, approach, leading!), layout),
        ...(decisions === null ? [] : [decisions.cell(approach.model)]),
        ...others.map((metric) => scoreCell(shownScore(aggregate, approach, metric), layout)),
        ...(judged === null ? [] : [judged.get(approach.model) ?? [stateSegment('not_run')]]),
        ...(showsTokens ? [[{ text: handedOverWords(approach) }]] : []),
        [median === null ? { text: STATE_SIGNS.disabled, style: 'dim' } : { text: durationWords(median) }],
      ],
    }
  })
  const unavailable = aggregate.unavailable.map((alias): TableRow => ({
    first: nameCell(alias, shape.nameWidth, view),
    rest: { text: `${STATE_SIGNS.not_run} unavailable: ${oneLine(alias.reason)}`, style: 'dim' },
  }))
  return { columns, rows: [...rows, ...unavailable] }
}

/** Means over different questions are marked once, at the head, where that goes for all of them. */
const isUnequalThroughout = (aggregate: Aggregate, metric: ScoreMetric): boolean => {
  const means = aggregate.approaches.flatMap((approach) => {
    const summary = metricOf(approach, metric)
    return summary === undefined || summary.mean === null ? [] : [summary]
  })
  return means.length > 0 && means.every(({ unequal_coverage: isUnequal }) => isUnequal)
}

const scoreHead = (metric: ScoreMetric, aggregate: Aggregate): TableColumn => ({
  head: `${metricOfId(metric).shortLabel ?? METRIC_LABELS[metric]}${isUnequalThroughout(aggregate, metric) ? UNEQUAL_SIGN : ''}`,
  align: 'left',
})

/** A score in its row, without the mark that its column's head has. */
function shownScore(aggregate: Aggregate, approach: ApproachSummary, metric: ScoreMetric): MetricSummary | undefined {
  const summary = metricOf(approach, metric)
  if (summary === undefined || !isUnequalThroughout(aggregate, metric)) return summary
  return { ...summary, unequal_coverage: false }
}

function cellsCell({ cells }: ApproachSummary): Segment[] {
  const failed = cells.error > 0 ? 'error' : cells.timeout > 0 ? 'timeout' : cells.missing > 0 ? 'not_run' : 'ok'
  return [stateSegment(failed), { text: ` ${cells.ok}/${cells.expected}` }]
}

function judgeMeans({ judge_panel }: Aggregate): Map<string, Segment[]> | null {
  if (judge_panel.status !== 'ok' && judge_panel.status !== 'partial') return null
  return new Map(
    judge_panel.approaches.map(({ model, mean, n, expected }) => [
      model,
      [
        { text: mean === null ? STATE_SIGNS.not_run : scoreWords(mean), style: 'bold' },
        { text: ` ${n}/${expected}`, style: 'dim' },
      ],
    ]),
  )
}

function coverageLines(aggregate: Aggregate, metrics: readonly ScoreMetric[], { width, color }: View): string[] {
  const notes = coverageNotes(aggregate, metrics)
  const panel = aggregate.judge_panel
  if (panel.status === 'error') notes.push({ sign: STATE_SIGNS.error, text: `judges: ${panel.message}` })
  if (panel.status === 'pending') notes.push({ sign: STATE_SIGNS.not_run, text: 'judges: not asked yet' })
  const cloud = cloudWords(cloudApproaches([aggregate]))
  const lines = [
    ...(cloud === null ? [] : wrap(cloud, width, '  ')),
    ...notes.slice(0, MAX_NOTES).flatMap(({ sign, text }) => wrap(unbroken(`${sign} ${oneLine(text)}`), width, '  ')),
  ]
  if (notes.length > MAX_NOTES) lines.push(`  … and ${notes.length - MAX_NOTES} more: the dataset report has them all`)
  return lines.map((line) => paint([{ text: line.replaceAll('\u00a0', ' '), style: 'dim' }], color))
}

/** Keeps a name and the count or score after it on one line. */
const unbroken = (text: string): string => text.replace(/ (?=\(\d+\)|−?\d\.\d\d)/g, '\u00a0')

/** One score over all datasets: how each approach does as the ladder goes up. */
function ladderLines(aggregates: readonly Aggregate[], view: View): string[] {
  const isUnequalInAll = aggregates.every((aggregate) => isUnequalThroughout(aggregate, view.metric))
  const aliases = new Map<string, Alias>(
    aggregates.flatMap((aggregate) => aggregate.approaches.map((approach) => [approach.model, approach])),
  )
  const table = fitted(view.width, aggregates.length, (shape) => {
    const shown = aggregates.slice(0, shape.scores)
    const countWidth = Math.max(...shown.map(({ questions }) => String(questions.length).length * 2 + 1), 3)
    const longest = Math.max(
      ...[...aliases.keys()].map((model) => Math.min(approachLabel(model).length, shape.nameWidth)),
    )
    const room = Math.floor((view.width - 2 - longest) / shown.length) - GAP.length
    const widest = valueWidth(
      shown.flatMap((aggregate) =>
        aggregate.approaches.map((approach) => shownScore(aggregate, approach, view.metric)),
      ),
    )
    const headWidth = Math.max(room, 2 + widest + 1 + countWidth)
    const rows = [...aliases.values()].map((alias): TableRow => ({
      cells: [
        nameCell(alias, shape.nameWidth, view),
        ...shown.map((aggregate) => {
          const approach = aggregate.approaches.find(({ model }) => model === alias.model)
          if (approach === undefined) return [stateSegment('not_run')]
          const layout = { barWidth: shape.barWidth, valueWidth: widest, countWidth, barStyle: alias.base_model }
          return scoreCell(shownScore(aggregate, approach, view.metric), layout)
        }),
      ],
    }))
    const heads = shown.map((aggregate): TableColumn => {
      const { complexity_level, label } = aggregate.dataset
      const sign = !isUnequalInAll && isUnequalThroughout(aggregate, view.metric) ? UNEQUAL_SIGN : ''
      return { head: shorten(`${complexity_level} ${oneLine(label)}`, headWidth - sign.length) + sign, align: 'left' }
    })
    return { columns: [{ head: '  approach', align: 'left' }, ...heads], rows }
  })
  const title = paint(
    [{ text: `${METRIC_LABELS[view.metric]}${isUnequalInAll ? UNEQUAL_SIGN : ''} up the ladder`, style: 'bold' }],
    view.color,
  )
  const left = aggregates.length - table.scores
  const more =
    left === 0
      ? []
      : [
          `  … and ${plural(left, 'dataset')} more: ${view.width} columns have no room for them (COLUMNS, or a wider terminal)`,
        ]
  return [title, rule(view), ...layoutTable(table.columns, table.rows, table.widths, view.color), rule(view), ...more]
}

/** Returns what the signs and words mean that are in the text. */
function legendLines(shown: string, { width, color }: View): string[] {
  const states = (Object.keys(STATE_SIGNS) as (keyof typeof STATE_SIGNS)[])
    .filter((state) => shown.includes(`${STATE_SIGNS[state]} `))
    .map((state) => `${STATE_SIGNS[state]}\u00a0${STATE_WORDS[state].replaceAll(' ', '\u00a0')}`)
  const ifShown = (sign: RegExp, meaning: string): string[] => (sign.test(shown) ? [meaning] : [])
  const text = [
    ...states,
    '0.83\u00a021/24: mean and scored/expected answers',
    ...ifShown(/≠/, `${UNEQUAL_SIGN}\u00a0means rest on different questions`),
    ...ifShown(/ tokens +median/, 'tokens: text handed over, median'),
    'median: latency of answers',
    ...ifShown(/\(baseline\)/, 'baseline: keyword search alone, which an approach that costs more has to beat'),
    ...ifShown(/\bopen\b/, 'open: tested, neither decided nor equivalent, which is no evidence that the two are equal'),
    ...ifShown(/\bequivalent\b/, 'equivalent: tested, no difference larger than 10 points'),
  ].join(' · ')
  return wrap(text, width).map((line) => paint([{ text: line.replaceAll('\u00a0', ' '), style: 'dim' }], color))
}
