import { markerAttributes, type Look } from '../../../charts/look.ts'
import { h, type Child, type Markup } from './markup.ts'

export interface Cell {
  content: Child
  class?: string
  title?: string
  /** Columns that it goes over. */
  span?: number
}

export interface HeadCell {
  content: Child
  /** Aligned to the right. */
  numeric?: boolean
}

/** A table whose rows begin with their own head, in a box that scrolls when the page is narrow. */
export function dataTable(
  caption: string,
  head: readonly HeadCell[],
  rows: readonly { head: Child; cells: readonly Cell[] }[],
): Markup {
  const headRow = head.map(({ content, numeric }) => h('th', { scope: 'col', class: numeric ? 'num' : null }, content))
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, row.head),
      row.cells.map((cell) =>
        h('td', { class: cell.class ?? null, title: cell.title ?? null, colspan: cell.span ?? null }, cell.content),
      ),
    ),
  )
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, headRow)), h('tbody', {}, body)),
  )
}

/** The marker alone, to be beside a name. */
export const markerIcon = (look: Look): Markup =>
  h(
    'svg',
    { class: 'icon', viewBox: '-8 -8 16 16', width: 14, height: 14, 'aria-hidden': 'true' },
    h('path', markerAttributes(look)),
  )

/** An alias with its marker. */
export const aliasHead = (model: string, looks: ReadonlyMap<string, Look>): Markup => {
  const look = looks.get(model)
  return h('span', { class: 'alias' }, look === undefined ? null : markerIcon(look), h('span', {}, model))
}

/** A number column's cell. */
export const num = (content: Child, more = ''): Cell => ({ content, class: `num ${more}`.trim() })

/** A figure with what belongs to it in small print. */
export const figureWith = (figure: string, ...small: string[]): Child => [
  h('b', {}, figure),
  small.filter((text) => text !== '').map((text) => [' ', h('small', {}, text)]),
]
