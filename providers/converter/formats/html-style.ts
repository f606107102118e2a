import type { DefaultTreeAdapterTypes } from 'parse5'
import { attribute, isElement, type Element, type Node } from './html-text.ts'

type Page = DefaultTreeAdapterTypes.Document

const HIDES = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i
const SHOWS = /(?:^|;)\s*(?:display|visibility)\s*:/i

/** One element as a style sheet names it: the names it needs (`p`, `#menu`, `.note`), all of them. */
interface Rule {
  names: string[]
  hides: boolean
}

/** Tells which elements the page itself hides: by attribute, by inline style, or by a rule of its own style sheets. */
export function hiddenIn(page: Page): (element: Element) => boolean {
  const rules = Map.groupBy(styleTexts(page).flatMap(rulesOf), ({ names }) => names.at(-1)!)
  return (element) => {
    if ((attribute(element, 'hidden') ?? 'until-found') !== 'until-found') return true
    const style = attribute(element, 'style') ?? ''
    if (HIDES.test(style)) return true
    if (rules.size === 0 || SHOWS.test(style)) return false
    const names = new Set(namesOf(element))
    const matching = [...names]
      .flatMap((name) => rules.get(name) ?? [])
      .filter((rule) => rule.names.every((name) => names.has(name)))
    return matching.length > 0 && matching.every(({ hides }) => hides)
  }
}

const namesOf = (element: Element): string[] => [
  element.tagName,
  `#${attribute(element, 'id') ?? ''}`,
  ...(attribute(element, 'class') ?? '').split(/\s+/).map((name) => `.${name}`),
]

/** Style sheets for a screen; those for print and the like do not say what a reader sees. */
function styleTexts(page: Page): string[] {
  const texts: string[] = []
  const open: Node[] = [...page.childNodes]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isElement(node)) continue
    if (node.tagName !== 'style') open.push(...node.childNodes)
    else if (/^\s*(?:all|screen)?\s*$/i.test(attribute(node, 'media') ?? ''))
      texts.push(node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''))
  }
  return texts
}

/**
 * Rules that hide or show elements. One that hides counts only where it names the element alone; one that shows counts for the last element it names,
 * in whatever state, so that text which a click or a script shows is kept. Blocks of at-rules (`@media`) depend on the device and are passed over.
 */
function rulesOf(style: string): Rule[] {
  const text = withoutComments(style)
  const rules: Rule[] = []
  for (let at = 0; at < text.length;) {
    const open = text.indexOf('{', at)
    if (open === -1) break
    const head = text.slice(at, open).split(';').at(-1)!.trim()
    const close = blockEnd(text, open)
    const body = text.slice(open + 1, close)
    at = close + 1
    const hides = HIDES.test(body)
    if (head.startsWith('@') || !(hides || SHOWS.test(body))) continue
    for (const selector of head.split(',')) {
      const last = selector
        .trim()
        .split(/[\s>+~]+/)
        .at(-1)!
      const names = compound(hides ? selector.trim() : last.replace(/[:[].*$/, ''))
      if (names !== null) rules.push({ names, hides })
    }
  }
  return rules
}

const withoutComments = (style: string): string =>
  style
    .split('/*')
    .map((part, i) => {
      const end = part.indexOf('*/')
      if (i === 0) return part
      return end === -1 ? '' : part.slice(end + 2)
    })
    .join('')

function blockEnd(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

/** The names in `p.note#x`; null for a selector of any other form, and for one that names nothing. */
function compound(selector: string): string[] | null {
  if (!/^[a-z][\w-]*(?:[#.][\w-]+)*$|^(?:[#.][\w-]+)+$/i.test(selector)) return null
  return (selector.match(/[#.]?[\w-]+/g) ?? []).map((name, i) =>
    i === 0 ? name.replace(/^[a-z].*/i, (tag) => tag.toLowerCase()) : name,
  )
}
