import { oneLine } from '../../lib/sanitize-for-terminal.ts'

/** HTML that was built here; a plain text never passes for it. */
export interface Markup {
  readonly html: string
}

export type Child = Markup | string | number | null | readonly Child[]
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

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
export const escaped = (text: string): string => oneLine(text).replace(/[&<>"']/g, (character) => ESCAPES[character]!)

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
