import { type Section, aliasHead, dataTable, h, num, type Cell, type Child, type Markup } from './markup.ts'
import type { Look } from '../../../charts/look.ts'
import type { Aggregate, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import {
  artifactNameOf,
  METRIC_LABELS,
  metricNamed,
  metricsIn,
  REPORTED_METRICS,
} from '../../../contract/metrics/metrics.ts'
import { capital, rungPairsWords } from '../../../contract/words.ts'
import {
  comparedMetric,
  generationScatter,
  JUDGE_PARTS,
  judgeScatter,
  metricOf,
  metricsOf,
  shareWords,
  type ComparedName,
} from '../aggregate/aggregate-access.ts'
import { findings } from '../tables/findings.ts'
import { rungFigure } from '../tables/leaderboard.ts'
import {
  PARAPHRASE_HEADS,
  PARAPHRASE_NOTE,
  paraphraseTables,
  type ParaphraseDifference,
} from '../tables/paraphrase-differences.ts'
import { LEVEL_HEADS, LEVEL_NOTE, levelInversions, levelRows } from '../tables/measured-levels.ts'
import { shownMetrics } from '../tables/metric-glossary.ts'
import { useLegend } from '../aggregate/metric-use.ts'
import { unusableLines, type UnusableFile } from '../publication/results-folder.ts'
import { verdictsOf } from '../verdict/verdict.ts'
import { nameWords, STATE_SIGNS, STATE_WORDS } from '../words.ts'
import type { Charts } from './charts.ts'
import { leaderTable, pairMatrix } from './comparison-figures.ts'
import { budgetSection, protocolSection } from './budget-figures.ts'
import { judgeFigures } from './judge-figures.ts'
import { artifactList, costFigures, gapNotes, provenance, useFigures, type PageArtifact } from './run-facts.ts'

const isCost = (metric: Metric | undefined): boolean => metric?.class === 'operational'

/** Metrics with a leaderboard: the first one that is scored leads the page, which costs cannot do. */
const BOARDS = REPORTED_METRICS.map(artifactNameOf)
/** Metrics with a table of all pairs per dataset. */
const PAIRED = metricsIn('pairs').map(artifactNameOf)

function paraphraseSection(differences: readonly ParaphraseDifference[]): Section | null {
  if (differences.length === 0) return null
  const [approach, ...heads] = PARAPHRASE_HEADS
  const tables = paraphraseTables(differences).map(({ title, rows }) =>
    dataTable(
      title,
      [{ content: approach! }, ...heads.map((content) => ({ content, numeric: true }))],
      rows.map(([model, ...cells]) => ({ head: model!, cells: cells.map((cell) => num(cell)) })),
    ),
  )
  return { id: 'paraphrases', title: 'In other words', body: [h('p', {}, PARAPHRASE_NOTE), tables] }
}

function levelSection(aggregates: readonly Aggregate[]): Section | null {
  const rows = levelRows(aggregates)
  if (rows.length === 0) return null
  const table = dataTable(
    'Levels of the datasets, declared and measured',
    LEVEL_HEADS.map((content, at) => ({ content, numeric: at !== 1 })),
    rows.map(([level, ...cells]) => ({ head: level!, cells: cells.map((cell) => num(cell)) })),
  )
  const inversions = levelInversions(aggregates).map((text) => h('p', {}, `${text}.`))
  return { id: 'levels', title: 'How relational the datasets are', body: [h('p', {}, LEVEL_NOTE), table, inversions] }
}

/** The page's sections in order; those without content are left out. Aggregates in ladder order. */
export function ladderSections(
  aggregates: readonly Aggregate[],
  looks: ReadonlyMap<string, Look>,
  artifacts: readonly PageArtifact[],
  unusable: readonly UnusableFile[],
  charts: Charts,
  paraphrases: readonly ParaphraseDifference[] = [],
): Section[] {
  const isScored = (name: ComparedName): boolean =>
    aggregates.some((aggregate) =>
      aggregate.approaches.some(({ model }) => rungFigure(aggregate, name, model) !== null),
    )
  const boards = BOARDS.filter(isScored)
  const first = boards.find((name) => !isCost(metricNamed(name)))
  const curve = (name: ComparedName): Markup =>
    h(
      'figure',
      {},
      h('figcaption', { class: 'title' }, title(nameWords(name))),
      charts.ladderCurve(aggregates, name, looks),
    )
  const variance = aggregates.flatMap((aggregate) => varianceFigures(aggregate, looks))
  const frontiers =
    first === undefined
      ? []
      : aggregates.map((aggregate) => frontierFigure(aggregate, first, looks, charts)).filter((each) => each !== null)
  const verdicts = verdictsOf(aggregates)
  const found = aggregates.map((aggregate, index) => {
    const [headline, ...rest] = findings(aggregate, verdicts[index]!)
    return h(
      'li',
      {},
      h('b', {}, headline!),
      h(
        'ul',
        {},
        rest.map((sentence) => h('li', {}, sentence)),
      ),
    )
  })
  const sections: (Section | null)[] = [
    found.length === 0 ? null : { id: 'short', title: 'Result', body: h('ul', { class: 'findings' }, found) },
    {
      id: 'standing',
      title: 'How the approaches compare',
      body: [
        h(
          'p',
          {},
          'Means with their 95 % intervals, and how many of the expected answers are scored. Rows are in the order of the mean over the levels, by the questions that all of a level share; those without a score on every level, on at least half as many answers as the best covered approach, or by latency with a failed call, come last. The rank is of tests: 1 where none found another approach better, one more for each that is; there is none where no pair is decided. Datasets of level zero are not counted. Tested pairs, over all datasets: ▲ better, ▼ worse, · equivalent or open.',
        ),
        h('p', {}, useLegend(aggregates)),
        boards.map((name) =>
          name === first
            ? leaderTable(aggregates, name, looks)
            : h('details', {}, h('summary', {}, title(nameWords(name))), leaderTable(aggregates, name, looks)),
        ),
      ],
    },
    {
      id: 'ladder',
      title: 'Up the ladder',
      body: [h('p', {}, 'Means by level, with their 95 % intervals.'), h('div', { class: 'grid' }, boards.map(curve))],
    },
    levelSection(aggregates),
    budgetSection(aggregates, looks, charts),
    protocolSection(aggregates),
    paraphraseSection(paraphrases),
    pairSection(aggregates, looks),
    first === undefined || frontiers.length === 0
      ? null
      : {
          id: 'frontier',
          title: 'Quality and latency',
          body: [
            h(
              'p',
              {},
              `${title(nameWords(first))} over the median latency of the answers. The dashed line joins the approaches that no other beats in both.`,
            ),
            h('div', { class: 'grid' }, frontiers),
          ],
        },
    {
      id: 'coverage',
      title: 'Coverage',
      body: [
        h(
          'p',
          {},
          'How many of the expected answers are scored. The rest is coloured by its state, hatched where nothing can be measured; the reasons are further down.',
        ),
        aggregates.map((aggregate) => coverageTable(aggregate, looks, charts)),
      ],
    },
    aggregates.every(({ judge_panel }) => judge_panel.status === 'disabled')
      ? null
      : { id: 'judges', title: 'Judges', body: aggregates.map((aggregate) => judgeFigures(aggregate, looks)) },
    variance.length === 0
      ? null
      : {
          id: 'scatter',
          title: 'Where scores scatter',
          body: [
            h(
              'p',
              {},
              'A dash: the design of the run does not separate this part, and the next wider part contains it. *: the estimate is negative and shown as 0.',
            ),
            variance,
          ],
        },
    {
      id: 'cost',
      title: 'Cost',
      body: aggregates.map((aggregate) => [costFigures(aggregate, looks), useFigures(aggregate)]),
    },
    { id: 'missing', title: 'What is missing, and why', body: [unusableNotes(unusable), aggregates.map(gapNotes)] },
    { id: 'provenance', title: 'Where this comes from', body: aggregates.map(provenance) },
    {
      id: 'artifacts',
      title: 'Artifacts',
      body: artifacts.length === 0 ? h('p', {}, 'None.') : artifactList(artifacts),
    },
    { id: 'reading', title: 'How to read this', body: [readingNotes(), metricGlossary(aggregates)] },
  ]
  return sections.filter((section) => section !== null)
}

/** Missing figures: files that exist and could not be used. */
const unusableNotes = (unusable: readonly UnusableFile[]): Markup | null =>
  unusable.length === 0
    ? null
    : h(
        'div',
        {},
        h('h3', {}, 'Files that were left out'),
        h(
          'ul',
          { class: 'notes' },
          unusableLines(unusable).map((line) => h('li', {}, `${STATE_SIGNS.error} ${line}`)),
        ),
      )

/** For the start of a line; names such as nDCG keep their own letters. */
const title = (text: string): string => (/^[a-z][A-Z]/.test(text) ? text : capital(text))

function pairSection(aggregates: readonly Aggregate[], looks: ReadonlyMap<string, Look>): Section {
  const body = aggregates.map((aggregate): Child => {
    const matrices = PAIRED.filter((name) => comparedMetric(aggregate, name) !== null)
      .map((name) => pairMatrix(aggregate, name, looks))
      .filter((each) => each !== null)
    if (matrices.length === 0) return null
    return [h('h3', {}, aggregate.dataset.label), h('div', { class: 'row' }, matrices)]
  })
  const several = rungPairsWords(aggregates.length)
  return {
    id: 'pairs',
    title: 'Pairs of approaches',
    body: [
      h(
        'p',
        {},
        'The row’s approach minus the column’s, question by question. A pair is decided when its interval excludes 0 and its p-value, corrected by Holm over all pairs of the metric, is at most 0.05. A pair is equivalent (≈) when a test shows that its difference is within 10 points; an open pair (·) was tested without either outcome, which is no evidence that two approaches are equal. A dash: not tested.',
      ),
      several === null ? null : h('p', {}, `${several}.`),
      body.every((each) => each === null) ? h('p', {}, 'Nothing was compared.') : body,
    ],
  }
}

function frontierFigure(
  aggregate: Aggregate,
  name: ComparedName,
  looks: ReadonlyMap<string, Look>,
  charts: Charts,
): Markup | null {
  const chart = charts.frontier(aggregate, name, looks)
  return chart === null ? null : h('figure', {}, h('figcaption', { class: 'title' }, aggregate.dataset.label), chart)
}

/** Tables of where scores and grades scatter; none for a run with one answer per question and fewer than two judges. */
function varianceFigures(aggregate: Aggregate, looks: ReadonlyMap<string, Look>): Markup[] {
  const { label } = aggregate.dataset
  const metrics = generationScatter(aggregate)
  const judged = judgeScatter(aggregate)
  const tables: Markup[] = []
  if (metrics.length > 0)
    tables.push(
      dataTable(
        `${label}: share of the variance that lies between answers to one question`,
        [{ content: 'approach' }, ...metrics.map(({ name }) => ({ content: nameWords(name), numeric: true }))],
        aggregate.approaches.map(({ model }) => ({
          head: aliasHead(model, looks),
          cells: metrics.map(({ shares }) => num(shareWords(shares.get(model)))),
        })),
      ),
    )
  if (judged.length > 0)
    tables.push(
      dataTable(
        `${label}: shares of the variance of grades`,
        [{ content: 'approach' }, ...JUDGE_PARTS.map(([, content]) => ({ content, numeric: true }))],
        judged.map(({ model, components }) => ({
          head: aliasHead(model, looks),
          cells: JUDGE_PARTS.map(([part]) => num(shareWords(components[part]))),
        })),
      ),
    )
  return tables
}

/** Returns how much of every metric is there, approach by approach. */
function coverageTable(aggregate: Aggregate, looks: ReadonlyMap<string, Look>, charts: Charts): Markup {
  const metrics = metricsOf(aggregate)
  const barCell = (summary: MetricSummary | undefined, look: Look): Cell => {
    if (summary === undefined) return { content: `${STATE_SIGNS.disabled} not requested`, class: 'missing' }
    const { state, scored, expected } = summary
    const count = h('span', { class: 'nowrap' }, `${STATE_SIGNS[state]} ${scored}/${expected}`)
    return { content: [charts.coverageBar(summary, look), count], title: STATE_WORDS[state], class: 'coverage' }
  }
  return dataTable(
    `${aggregate.dataset.label}: scored of expected answers`,
    [{ content: 'approach' }, ...metrics.map((metric) => ({ content: METRIC_LABELS[metric] }))],
    aggregate.approaches.map((approach) => ({
      head: aliasHead(approach.model, looks),
      cells: metrics.map((metric) => barCell(metricOf(approach, metric), looks.get(approach.model)!)),
    })),
  )
}

const readingNotes = (): Markup =>
  h(
    'ul',
    { class: 'notes' },
    [
      `Signs: ${Object.entries(STATE_SIGNS)
        .map(([state, sign]) => `${sign} ${STATE_WORDS[state as keyof typeof STATE_WORDS]}`)
        .join(', ')}. What is missing is never counted as 0.`,
      'Questions that share gold documents are one independent group. Where that leaves fewer than eight groups, those that share gold passages are one, and intervals are for new questions about these documents only; with fewer than eight of these there is no interval. Means of scores have Wilson’s interval on the effective sample size, differences Student’s t with a pseudo-observation of each sign.',
      '≠ marks means that rest on different questions and so do not compare; pairs are always of the questions that both have.',
      'Charts of scores go from 0 to 1 and charts of grades from 1 to 5 everywhere; latencies are on a scale where each step multiplies.',
    ].map((note) => h('li', {}, note)),
  )

const metricGlossary = (aggregates: readonly Aggregate[]): Markup =>
  h(
    'dl',
    { class: 'notes' },
    shownMetrics(aggregates).map(({ label, definition }) => [h('dt', {}, h('b', {}, label)), h('dd', {}, definition)]),
  )
