import type { Look } from '../../../charts/look.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { countWords, equalWords } from '../../../contract/words.ts'
import {
  budgetNotes,
  budgetTable,
  HANDED_OVER,
  handedOverWords,
  hasAmounts,
  protocolRows,
} from '../tables/budget-tables.ts'
import type { Charts } from './charts.ts'
import { type Section, aliasHead, dataTable, h, num } from './markup.ts'

/** Returns how much text each approach handed over and what it found in the first of it; null where no row tells. */
export function budgetSection(
  aggregates: readonly Aggregate[],
  looks: ReadonlyMap<string, Look>,
  charts: Charts,
): Section | null {
  const told = aggregates.filter(hasAmounts)
  if (told.length === 0) return null
  return {
    id: 'budget',
    title: 'By text handed over',
    body: [
      [...new Set(told.flatMap(budgetNotes))].map((note) => h('p', {}, note)),
      told.map((aggregate) => {
        const { budgets, rows } = budgetTable(aggregate)
        const heads = [HANDED_OVER, ...budgets.map((budget) => `first ${countWords(budget)}`)]
        const table = dataTable(
          `${aggregate.dataset.label}: facts found by text handed over`,
          [{ content: 'approach' }, ...heads.map((content) => ({ content, numeric: true }))],
          rows.map(({ approach, cells }) => ({
            head: aliasHead(approach.model, looks),
            cells: [handedOverWords(approach), ...cells].map((cell) => num(cell)),
          })),
        )
        const curve = charts.budgetCurve(aggregate, looks)
        return [
          curve === null ? null : h('figure', {}, h('figcaption', { class: 'title' }, aggregate.dataset.label), curve),
          table,
        ]
      }),
    ],
  }
}

/** Returns what was equal between the approaches; null where no aggregate has it. */
export function protocolSection(aggregates: readonly Aggregate[]): Section | null {
  const known = aggregates.filter(({ protocol }) => protocol !== null)
  if (known.length === 0) return null
  return {
    id: 'protocol',
    title: 'What the approaches share',
    body: [
      h(
        'p',
        {},
        'What was equal between the approaches, as the rows record it or, where they do not, as configured. What differs may explain a difference as well as the way of retrieving.',
      ),
      known.map((aggregate) =>
        dataTable(
          `${aggregate.dataset.label}: protocol card`,
          [{ content: 'part' }, { content: 'equal' }, { content: 'values' }],
          protocolRows(aggregate).map(({ part, equal, values }) => ({
            head: part,
            cells: [{ content: equalWords(equal) }, { content: values }],
          })),
        ),
      ),
    ],
  }
}
