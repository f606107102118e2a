import type { DefaultTreeAdapterTypes } from 'parse5'
import { tidy as tidied } from '../model/document.ts'
import { lowered, raised, writtenScripts } from '../model/scripts.ts'
import { numeral, type NumberStyle } from '../model/list-numbers.ts'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element

export const SKIPPED = new Set([
  'head',
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'iframe',
  'object',
  'select',
  'button',
  'nav',
])
export const BLOCK = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'html img li main math ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)

/** Deepest nesting whose structure is walked: hostile markup nests without end. What is deeper is kept as plain text. */
export const MAX_DEPTH = 400

export const isElement = (node: Node): node is Element => 'tagName' in node

export const attribute = (element: Element, name: string): string | null =>
  element.attrs.find((candidate) => candidate.name === name)?.value ?? null

export const tidy = (text: string): string => writtenScripts(tidied(text))

/** All text below a node; blocks are separated by spaces. */
export function textOf(node: Element, depth = 0): string {
  if (depth > MAX_DEPTH) return deepText(node)
  return node.childNodes
    .map((child) => {
      if (child.nodeName === '#text') return (child as DefaultTreeAdapterTypes.TextNode).value
      if (!isElement(child) || (SKIPPED.has(child.tagName) && child.tagName !== 'nav')) return ''
      if (child.tagName === 'br') return '\n'
      if (child.tagName === 'input') return checkbox(child)
      const text = textOf(child, depth + 1)
      const marker = child.tagName === 'li' ? markerOf(child) : null
      if (BLOCK.has(child.tagName)) return ` ${marker === null ? '' : `${marker} `}${text} `
      return shiftOf(child)?.(text) ?? text
    })
    .join('')
}

/** Raised and lowered text, by element or style; the mark of a note, which links to it, is put in brackets. */
export function shiftOf(node: Element): ((text: string) => string) | null {
  const style = /vertical-align\s*:\s*(super|sub)\b/i.exec(attribute(node, 'style') ?? '')?.[1]?.toLowerCase()
  if (node.tagName === 'sub' || style === 'sub') return lowered
  if (node.tagName !== 'sup' && style !== 'super') return null
  const leads = (each: Element | null): boolean => each !== null && (attribute(each, 'href') ?? '').includes('#')
  const around = node.parentNode !== null && 'tagName' in node.parentNode ? node.parentNode : null
  if (!leads(find(node, 'a')) && !(around?.tagName === 'a' && leads(around))) return raised
  return (text) => raised(/^\s*\[.*\]\s*$/s.test(text) ? text.trim() : `[${text.trim()}]`)
}

/** The state of a box that can be ticked. */
export function checkbox(node: Element): string {
  if (!/^(?:checkbox|radio)$/i.test(attribute(node, 'type') ?? '')) return ''
  return attribute(node, 'checked') === null ? ' [ ] ' : ' [x] '
}

/** The same without a call for each level: nothing nests too deeply for it. */
export function deepText(node: Element): string {
  let text = ''
  const open: Node[] = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.nodeName === '#text') text += (next as DefaultTreeAdapterTypes.TextNode).value
    else if (isElement(next) && !SKIPPED.has(next.tagName)) {
      text += BLOCK.has(next.tagName) ? ' ' : ''
      for (let index = next.childNodes.length - 1; index >= 0; index -= 1) open.push(next.childNodes[index]!)
    }
  }
  return text
}

/** The source of a formula is in its annotation, where a page has one. */
export function mathText(node: Element): string {
  const source = find(node, 'annotation')
  return tidy(source === null ? latexOf(node) : textOf(source))
}

/** Formulas without a source, in the notation of LaTeX, so that powers and fractions keep their numbers. */
function latexOf(node: Element, depth = 0): string {
  if (depth > MAX_DEPTH) return deepText(node)
  const parts = node.childNodes.flatMap((child) =>
    isElement(child) ? [latexOf(child, depth + 1)] : child.nodeName === '#text' ? [child.value] : [],
  )
  const [first = '', second = '', third = ''] = parts.filter((part) => part.trim() !== '')
  switch (node.tagName) {
    case 'msup':
    case 'mover':
      return `${first}^{${second}}`
    case 'msub':
    case 'munder':
      return `${first}_{${second}}`
    case 'msubsup':
    case 'munderover':
      return `${first}_{${second}}^{${third}}`
    case 'mfrac':
      return `\\frac{${first}}{${second}}`
    case 'msqrt':
      return `\\sqrt{${parts.join('')}}`
    case 'mroot':
      return `\\sqrt[${second}]{${first}}`
    case 'mtd':
      return `${parts.join('')} `
    default:
      return parts.join('')
  }
}

export function find(node: Element, name: string, below = false, depth = 0): Element | null {
  if (depth > MAX_DEPTH) return null
  for (const child of node.childNodes) {
    if (!isElement(child)) continue
    if (child.tagName === name) return child
    if (!below && child.tagName === 'table' && name !== 'tr') continue
    const found = find(child, name, below, depth + 1)
    if (found !== null) return found
  }
  return null
}

const LIST_STYLES: Readonly<Record<string, NumberStyle>> = {
  a: 'lowerLetterHtml',
  A: 'upperLetterHtml',
  i: 'lowerRoman',
  I: 'upperRoman',
  'lower-alpha': 'lowerLetterHtml',
  'lower-latin': 'lowerLetterHtml',
  'upper-alpha': 'upperLetterHtml',
  'upper-latin': 'upperLetterHtml',
  'lower-roman': 'lowerRoman',
  'upper-roman': 'upperRoman',
  'decimal-leading-zero': 'paddedDecimal',
}

const markers = new WeakMap<object, ReadonlyMap<Element, string>>()

/** The number that a browser shows before an item; null in other lists. */
export function markerOf(item: Element): string | null {
  const list = item.parentNode
  if (list === null || !('tagName' in list) || list.tagName !== 'ol') return null
  const known = markers.get(list)
  if (known !== undefined) return known.get(item) ?? null
  const items = list.childNodes.filter((child): child is Element => isElement(child) && child.tagName === 'li')
  const whole = (text: string | null): number | null =>
    text !== null && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : null
  const step = attribute(list, 'reversed') === null ? 1 : -1
  let next = whole(attribute(list, 'start')) ?? (step < 0 ? items.length : 1)
  const counted = items.map((each): [Element, string] => {
    const number = whole(attribute(each, 'value')) ?? next
    next = number + step
    const [own, inherited] = [each, list].map((node) =>
      /list-style(?:-type)?\s*:\s*(?:'([^']*)'|([a-z-]+))/i.exec(attribute(node, 'style') ?? ''),
    )
    const text = own?.[1] ?? inherited?.[1]
    const style = own?.[2] ?? attribute(each, 'type') ?? inherited?.[2] ?? attribute(list, 'type') ?? ''
    return [each, text?.trim() ?? (style === 'none' ? '' : `${numeral(number, LIST_STYLES[style] ?? 'decimal')}.`)]
  })
  const all = new Map(counted.filter(([, marker]) => marker !== ''))
  markers.set(list, all)
  return all.get(item) ?? null
}
