import { metricNamed, type Aggregate, type Metric, type PairComparison } from '../../../contract/index.ts'
import type { Look } from '../../../charts/look.ts'
import { comparedMetric, pairAgainst, type ComparedName } from '../comparison-access.ts'
import {
  decidedLine,
  DECISION_SIGNS,
  DECISION_WORDS,
  intervalWords,
  nameWords,
  pWords,
  signedWords,
} from '../comparison-words.ts'
import { STATE_SIGNS } from '../score-format.ts'
import { h, type Markup } from './markup.ts'
import { aliasHead, dataTable, markerIcon, num, type Cell } from './table.ts'

/** Every approach against every other on one metric: the row minus the column. Null when there is no pair. */
export function pairMatrix(aggregate: Aggregate, name: ComparedName, looks: ReadonlyMap<string, Look>): Markup | null {
  const compared = comparedMetric(aggregate, name)
  if (compared === null || compared.decided.comparable === 0) return null
  const models = compared.approaches.map(({ model }) => model)
  const grid = dataTable(
    `${nameWords(name)}: row minus column`,
    [{ content: 'approach' }, ...models.map((model) => ({ content: columnHead(model, looks), numeric: true }))],
    models.map((row) => ({
      head: aliasHead(row, looks),
      cells: models.map((column) =>
        row === column ? { content: '', class: 'self' } : pairCell(name, pairAgainst(compared, row, column)),
      ),
    })),
  )
  return h('figure', { class: 'pairs' }, grid, h('figcaption', {}, `${decidedLine(compared)}.`))
}

/** The marker alone: the rows have the names, in the same order. */
const columnHead = (model: string, looks: ReadonlyMap<string, Look>): Markup => {
  const look = looks.get(model)
  return h(
    'span',
    { class: 'alias short', title: model },
    look === undefined ? null : markerIcon(look),
    h('span', { class: 'unseen' }, model),
  )
}

/** Shades by size: from here on, and twice as far. */
const SHADE_FROM = { score: 0.15, grade: 0.5, duration: Infinity } as const satisfies Record<Metric['unit'], number>

function pairCell(name: ComparedName, pair: PairComparison | null): Cell {
  const value = pair?.difference.value ?? null
  if (pair === null || value === null)
    return { content: STATE_SIGNS.disabled, class: 'num missing', title: 'no question that both have a score for' }
  const { difference, decision, p_adjusted, wins, ties, losses } = pair
  const sentence = [
    `${pair.a} − ${pair.b}: ${signedWords(name, value)} ${intervalWords(name, difference.interval)}`.trim(),
    p_adjusted === null ? '' : `p (Holm) ${pWords(p_adjusted)}`,
    `${wins} better, ${ties} equal, ${losses} worse of ${difference.n}`,
    DECISION_WORDS[decision],
  ]
  const from = SHADE_FROM[metricNamed(name)?.unit ?? 'score']
  const shade = decision === 'undecided' ? '' : Math.abs(value) >= from ? 'far' : 'near'
  return {
    ...num([
      h('b', {}, signedWords(name, value)),
      ' ',
      h('span', { class: 'sign', 'aria-label': DECISION_WORDS[decision] }, DECISION_SIGNS[decision]),
    ]),
    class: `num pair ${decision} ${shade}`.trim(),
    title: sentence.filter((part) => part !== '').join(' · '),
  }
}
