import { approachLabel } from '../../../contract/approaches.ts'
import { markerPaths, type Look } from '../../../charts/look.ts'
import { oneLine } from '../../lib/text/sanitize-for-terminal.ts'

/** A part of the page that its contents list names. */
export interface Section {
  id: string
  title: string
  body: Child
}

/** HTML built by this module; plain text is never taken for it. */
export interface Markup {
  readonly html: string
}

export type Child = Markup | string | number | null | readonly Child[]
type Attributes = Readonly<Record<string, string | number | boolean | null>>

/** HTML elements without content and end tag. */
const VOID = new Set(['meta', 'br', 'hr', 'link', 'col'])

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that is safe between tags and in quoted attributes: controls and characters that reverse text are removed. */
const escaped = (text: string): string => oneLine(text).replace(/[&<>"']/g, (character) => ESCAPES[character]!)

const attribute = ([name, value]: [string, Attributes[string]]): string =>
  value === null || value === false ? '' : value === true ? ` ${name}` : ` ${name}="${escaped(String(value))}"`

function content(child: Child): string {
  if (child === null) return ''
  if (typeof child === 'number') return String(child)
  if (typeof child === 'string') return spaced(child)
  return 'html' in child ? child.html : child.map(content).join('')
}

/** Blanks at the ends of a text part it from its neighbours and stay. */
const spaced = (text: string): string =>
  `${/^\s/.test(text) ? ' ' : ''}${escaped(text)}${/\S\s+$/.test(text) ? ' ' : ''}`

/** An element. Texts in it are escaped, whatever they hold; attributes that are null or false are left out. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): Markup {
  const open = `<${tag}${Object.entries(attributes).map(attribute).join('')}>`
  return { html: VOID.has(tag) ? open : `${open}${content(children)}</${tag}>` }
}

/** Markup after markup, without an element around it. */
export const fragment = (...children: Child[]): Markup => ({ html: content(children) })

/** Source of a script or style sheet of this program, which is not text. */
export const raw = (source: string): Markup => ({ html: source })

export interface Cell {
  content: Child
  class?: string
  title?: string
  style?: string
}

interface HeadCell {
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
      row.cells.map(({ content, class: name = null, title = null, style = null }) =>
        h('td', { class: name, title, style }, content),
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
    markerPaths(look).map(({ width, ...path }) =>
      h('path', { ...path, 'stroke-width': width, 'stroke-linejoin': 'round' }),
    ),
  )

/** An alias with its marker. */
export const aliasHead = (model: string, looks: ReadonlyMap<string, Look>): Markup => {
  const look = looks.get(model)
  return h(
    'span',
    { class: 'alias' },
    look === undefined ? null : markerIcon(look),
    h('span', {}, approachLabel(model)),
  )
}

/** A number column's cell. */
export const num = (content: Child, more = ''): Cell => ({ content, class: `num ${more}`.trim() })

/** A figure with what belongs to it in small print. */
export const figureWith = (figure: string, ...small: string[]): Child => [
  h('b', {}, figure),
  small.filter((text) => text !== '').map((text) => [' ', h('small', {}, text)]),
]
