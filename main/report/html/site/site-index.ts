import { looksOf, type Look } from '../../../../charts/look.ts'
import type { Aggregate } from '../../../../contract/evidence/aggregate.ts'
import { PROTOCOL_PARTS } from '../../../../contract/evidence/protocol.ts'
import { countWords, plural } from '../../../../contract/words.ts'
import { inLadderOrder } from '../../csv/long-csv.ts'
import { HANDED_OVER, handedOverWords } from '../../tables/budget-tables.ts'
import { leaderboard } from '../../tables/leaderboard.ts'
import { unusableLines, type UnusableFile } from '../../publication/results-folder.ts'
import { verdictsOf } from '../../verdict/verdict.ts'
import { primaryMetric, unrankedReason } from '../../aggregate/metric-use.ts'
import { metricNamed } from '../../../../contract/metrics/metrics.ts'
import { intervalWords, nameWords, valueWords } from '../../words.ts'
import { aliasHead, dataTable, h, num, type Child, type Markup } from '../markup.ts'
import { pageDocument } from '../page-document.ts'
import { comparableRuns, type ComparableRuns } from './comparable-runs.ts'

/** A run of a site with the aggregates that its own page shows. */
export interface SiteRun {
  runId: string
  aggregates: readonly Aggregate[]
}

/** Address of a run's page, from the site's folder. A run id is safe in file names and addresses. */
export const runPage = (runId: string): string => `runs/${runId}.html`

const PLACES = 'Places are by mean. The verdict of a run names the differences that a test decided.'
const NO_TEST =
  'No test was made between two runs: a higher mean in another run does not show a better approach. rag-ladder gate and the page Compare test two runs question by question.'

/**
 * The first page of a site: the verdict of each run, and a leaderboard for each set of runs that were measured under equal conditions. Runs under unequal ones are in tables of their own.
 * Equal input gives equal bytes; every text in it is escaped.
 */
export function siteIndex(runs: readonly SiteRun[], unusable: readonly UnusableFile[]): string {
  const all = inLadderOrder(runs.flatMap(({ aggregates }) => aggregates))
  const looks = looksOf(all.flatMap((aggregate) => [...aggregate.approaches, ...aggregate.unavailable]))
  const datasets = [...Map.groupBy(all, ({ dataset }) => dataset.id)]
  return pageDocument(
    'RAG Ladder: all runs',
    null,
    h(
      'header',
      {},
      h('h1', {}, 'All runs'),
      h('p', { class: 'lead' }, `${plural(runs.length, 'run')} · ${plural(datasets.length, 'dataset')}`),
      h(
        'nav',
        { 'aria-label': 'Sections' },
        h(
          'ul',
          {},
          [
            ['runs', 'Runs'] as const,
            ...datasets.map(([id, [first]]) => [`dataset-${id}`, first!.dataset.label] as const),
          ].map(([id, title]) => h('li', {}, h('a', { href: `#${id}` }, title))),
        ),
      ),
    ),
    h(
      'main',
      {},
      h('section', { id: 'runs', 'aria-labelledby': 'runs-h' }, h('h2', { id: 'runs-h' }, 'Runs'), runs.map(runEntry)),
      datasets.map(([id, aggregates]) => datasetSection(id, aggregates, looks)),
      unusable.length === 0
        ? null
        : h(
            'section',
            { id: 'unusable', 'aria-labelledby': 'unusable-h' },
            h('h2', { id: 'unusable-h' }, 'Files that could not be used'),
            h(
              'ul',
              { class: 'notes' },
              unusableLines(unusable).map((line) => h('li', {}, line)),
            ),
          ),
    ),
    h('footer', {}, 'Written by rag-ladder from the results of a folder: equal results give an equal page.'),
  )
}

function runEntry({ runId, aggregates }: SiteRun): Markup {
  return h(
    'div',
    {},
    h('h3', {}, h('a', { href: runPage(runId) }, runId)),
    verdictsOf(inLadderOrder(aggregates)).map(({ label, headline, why }) =>
      h('p', {}, h('b', {}, `${label}: ${headline}.`), ` ${why}`),
    ),
    h('p', {}, h('small', {}, protocolWords(aggregates))),
  )
}

/** Names what differed between the approaches of a run, by the protocol cards of its datasets. */
function protocolWords(aggregates: readonly Aggregate[]): string {
  const cards = aggregates.flatMap(({ protocol }) => protocol ?? [])
  if (cards.length === 0) return 'Protocol: not recorded.'
  const partsThat = (equal: boolean | null): string[] => [
    ...new Set(cards.filter((part) => part.equal === equal).map(({ part }) => PROTOCOL_PARTS[part])),
  ]
  const [unequal, unknown] = [partsThat(false), partsThat(null)]
  return `Protocol: ${unequal.length === 0 ? 'all that is recorded was equal' : `not equal between approaches: ${unequal.join(', ')}`}${
    unknown.length === 0 ? '' : `; not recorded by all: ${unknown.join(', ')}`
  }.`
}

function datasetSection(id: string, aggregates: readonly Aggregate[], looks: ReadonlyMap<string, Look>): Markup {
  const groups = comparableRuns(aggregates)
  return h(
    'section',
    { id: `dataset-${id}`, 'aria-labelledby': `dataset-${id}-h` },
    h('h2', { id: `dataset-${id}-h` }, aggregates[0]!.dataset.label),
    groups.length === 1
      ? null
      : h(
          'p',
          { class: 'banner caution' },
          `These runs were measured under ${countWords(groups.length)} different sets of conditions: each has a table of its own, and no figure compares with one of another table.`,
        ),
    groups.map((group) => groupTable(group, looks)),
  )
}

function groupTable({ conditions, aggregates, differs }: ComparableRuns, looks: ReadonlyMap<string, Look>): Markup {
  const words = Object.values(conditions).flatMap(({ words: text }) => (text === '' ? [] : [text]))
  const name = primaryMetric(aggregates)
  const reasons = name === null ? [] : [...new Set(aggregates.flatMap((each) => unrankedReason([each], name) ?? []))]
  const rows = name === null ? [] : rowsOf(aggregates, name)
  const notes: Child[] = [
    ...(differs.length === 0 ? [] : [`Differs from the first table in: ${differs.join(', ')}.`]),
    PLACES,
    ...(aggregates.length > 1 ? [NO_TEST] : []),
    ...reasons.map((reason) => `${reason}.`),
  ]
  return h(
    'div',
    {},
    h('h3', {}, words.join(' · ')),
    notes.map((note) => h('p', {}, note)),
    name === null
      ? h('p', {}, 'No metric of these runs can compare approaches.')
      : dataTable(
          nameWords(name),
          [
            { content: 'approach' },
            { content: 'run' },
            { content: 'place', numeric: true },
            { content: 'mean', numeric: true },
            { content: '95 % interval', numeric: true },
            { content: 'scored', numeric: true },
            { content: HANDED_OVER, numeric: true },
          ],
          rows.map(({ aggregate, model, place, figure }) => ({
            head: aliasHead(model, looks),
            cells: [
              { content: h('a', { href: runPage(aggregate.run_id) }, aggregate.run_id) },
              num(place === null ? '–' : String(place)),
              num(figure === null ? '–' : valueWords(name, figure.mean)),
              num(figure === null ? '' : intervalWords(name, figure.interval)),
              num(figure === null ? '–' : `${figure.n}/${figure.expected}`),
              num(handedOverWords(aggregate.approaches.find((each) => each.model === model)!)),
            ],
          })),
        ),
  )
}

/** A place by mean in the whole group, best first; none where the leaderboard of the own run gives none. */
function rowsOf(aggregates: readonly Aggregate[], name: NonNullable<ReturnType<typeof primaryMetric>>) {
  const lowerIsBetter = metricNamed(name)?.better === 'lower'
  const rows = aggregates.flatMap((aggregate) =>
    leaderboard([aggregate], name).map(({ alias, place, mean, rungs }) => ({
      aggregate,
      model: alias.model,
      mean: place === null ? null : mean,
      figure: rungs[0] ?? null,
    })),
  )
  const beats = (a: number, b: number): boolean => (lowerIsBetter ? a < b : a > b)
  return rows
    .map((row) => {
      const { mean } = row
      const place =
        mean === null ? null : 1 + rows.filter((other) => other.mean !== null && beats(other.mean, mean)).length
      return { ...row, place }
    })
    .sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || 0)
}
