import { strFromU8 } from 'fflate'
import { numeral, type NumberStyle } from '../model/list-numbers.ts'
import type { Archive } from './archive.ts'
import { replaceElements } from './docx-body.ts'
import { child, descend, descendants, elements, escapeXml, parseXml, type XmlElement } from './xml.ts'

/** Mark around the number of a paragraph, at its start. */
export const NUMBER_MARK = '\u{E004}'

interface Level {
  start: number
  format: string
  text: string
  isLegal: boolean
  /** Never starts again, whatever happens above it. */
  isContinuous: boolean
}

/** Levels of one list; all that share an `abstract` count together, unless one starts again. */
interface List {
  abstract: string
  levels: ReadonlyMap<number, Level>
  restarts: ReadonlyMap<number, number>
}

interface Numbering {
  lists: ReadonlyMap<string, List>
  /** Of the paragraph styles that number their paragraphs. */
  styles: ReadonlyMap<string, { list: string; level: number }>
}

const FORMATS: Readonly<Record<string, NumberStyle>> = {
  decimalZero: 'paddedDecimal',
  ordinal: 'ordinal',
  lowerRoman: 'lowerRoman',
  upperRoman: 'upperRoman',
  lowerLetter: 'lowerLetter',
  upperLetter: 'upperLetter',
}

/**
 * Writes the number that Word shows before a paragraph into its text, between marks: start, restart, letters, romans, legal numbers. The library knows
 * only that there is a list.
 */
export function writeNumbers(body: string, parts: Archive): string {
  const numbering = readNumbering(parts)
  if (numbering === null) return body
  const counters = new Map<string, number[]>()
  const restarted = new Set<string>()
  return replaceElements(body, 'w:p', (inner, whole) => {
    const settings = /^\s*<w:pPr(?:\s[^>]*)?>([\s\S]*?)<\/w:pPr>/.exec(inner)
    const at = settings === null ? null : positionOf(settings[1]!, numbering)
    const list = at === null ? undefined : numbering.lists.get(at.list)
    const level = list?.levels.get(at?.level ?? 0)
    if (at === null || list === undefined || level === undefined || level.format === 'bullet') return whole
    const counter = counters.get(list.abstract) ?? []
    counters.set(list.abstract, counter)
    const restart = list.restarts.get(at.level)
    const isRestart = restart !== undefined && !restarted.has(`${at.list} ${at.level}`)
    if (isRestart) restarted.add(`${at.list} ${at.level}`)
    counter[at.level] = isRestart ? restart : (counter[at.level] ?? level.start - 1) + 1
    for (const deeper of counter.keys())
      if (deeper > at.level && list.levels.get(deeper)?.isContinuous !== true) Reflect.deleteProperty(counter, deeper)
    const number = shownNumber(list, level, counter)
    if (number === '' || !inner.includes('<w:t')) return whole
    const mark = `<w:r><w:t xml:space="preserve">${NUMBER_MARK}${number}${NUMBER_MARK}</w:t></w:r>`
    const textAt = whole.length - '</w:p>'.length - inner.length + settings![0].length
    return whole.slice(0, textAt) + mark + whole.slice(textAt)
  })
}

function shownNumber(list: List, level: Level, counter: readonly (number | undefined)[]): string {
  const text = level.text.replaceAll(/%(\d)/g, (_, digit: string) => {
    const of = list.levels.get(Number(digit) - 1)
    const number = counter[Number(digit) - 1] ?? of?.start ?? 1
    if (of?.format === 'none') return ''
    return numeral(number, level.isLegal ? 'decimal' : (FORMATS[of?.format ?? ''] ?? 'decimal'))
  })
  return escapeXml(text.trim())
}

const MARKS_OF_CHANGES = /<w:(?:pPrChange|numberingChange)[\s>][\s\S]*$/
const valueOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<w:${name}\\s[^>]*w:val="([^"]*)"`).exec(xml)?.[1]

/** Which list and level a paragraph belongs to, by its own settings or its style's. */
function positionOf(settings: string, { styles, lists }: Numbering): { list: string; level: number } | null {
  const own = settings.replace(MARKS_OF_CHANGES, '')
  const style = styles.get(valueOf(own, 'pStyle') ?? '')
  const list = valueOf(own, 'numId') ?? style?.list
  if (list === undefined || !lists.has(list)) return null
  return { list, level: Number(valueOf(own, 'ilvl') ?? style?.level ?? 0) || 0 }
}

function readNumbering(parts: Archive): Numbering | null {
  const [numbers, styles] = ['word/numbering.xml', 'word/styles.xml'].map((name) => parts[name])
  if (numbers === undefined) return null
  try {
    const root = parseXml(strFromU8(numbers))
    const styleOf = new Map(
      (styles === undefined ? [] : descendants(parseXml(strFromU8(styles)), 'w:style')).map((style) => [
        style.attributes['w:styleId'] ?? '',
        style,
      ]),
    )
    const lists = readLists(root, styleOf)
    const numbered = [...styleOf].flatMap(([id, style]) => {
      const position = numberedStyle(style, styleOf, lists)
      return position === null ? [] : [[id, position] as const]
    })
    return { lists, styles: new Map(numbered) }
  } catch {
    return null
  }
}

const val = (node: XmlElement | null, name: string): string | undefined => child(node, name)?.attributes['w:val']
const isOn = (node: XmlElement | null): boolean =>
  node !== null && !/^(?:0|false|off)$/.test(node.attributes['w:val'] ?? '1')

function readLists(root: XmlElement, styleOf: ReadonlyMap<string, XmlElement>): Map<string, List> {
  const all = (name: string): XmlElement[] => elements(root).filter((each) => each.name === name)
  const abstracts = new Map(all('w:abstractNum').map((each) => [each.attributes['w:abstractNumId'] ?? '', each]))
  const nums = new Map(all('w:num').map((each) => [each.attributes['w:numId'] ?? '', each]))
  const abstractOf = (num: XmlElement | undefined): string => val(num ?? null, 'w:abstractNumId') ?? ''
  return new Map(
    [...nums].map(([id, num]) => {
      let abstract = abstractOf(num)
      // A list may only name the style that has its levels.
      const linked = styleOf.get(val(abstracts.get(abstract) ?? null, 'w:numStyleLink') ?? '')
      if (linked !== undefined)
        abstract = abstractOf(nums.get(val(descend(linked, 'w:pPr', 'w:numPr'), 'w:numId') ?? ''))
      const overrides = elements(num).filter(({ name }) => name === 'w:lvlOverride')
      const levels = [
        ...elements(abstracts.get(abstract) ?? { name: '', attributes: {}, children: [] }),
        ...overrides.flatMap((each) => elements(each)),
      ].filter(({ name }) => name === 'w:lvl')
      const restarts = overrides.flatMap((each): [number, number][] => {
        const start = val(each, 'w:startOverride')
        return start === undefined ? [] : [[Number(each.attributes['w:ilvl'] ?? 0), Number(start)]]
      })
      return [id, { abstract, levels: new Map(levels.map(readLevel)), restarts: new Map(restarts) }]
    }),
  )
}

const readLevel = (level: XmlElement): [number, Level] => [
  Number(level.attributes['w:ilvl'] ?? 0),
  {
    start: Number(val(level, 'w:start') ?? 1),
    format: val(level, 'w:numFmt') ?? 'decimal',
    text: val(level, 'w:lvlText') ?? '',
    isLegal: isOn(child(level, 'w:isLgl')),
    isContinuous: val(level, 'w:lvlRestart') === '0',
  },
]

/** Styles that are based on each other in a circle end here. */
const MAX_BASES = 20

/** The list of a style, or of the style that it is based on; the level is the one that names the style. */
function numberedStyle(
  style: XmlElement,
  styleOf: ReadonlyMap<string, XmlElement>,
  lists: ReadonlyMap<string, List>,
): { list: string; level: number } | null {
  let each: XmlElement | undefined = style
  for (let depth = 0; each !== undefined && depth < MAX_BASES; depth += 1) {
    const own = descend(each, 'w:pPr', 'w:numPr')
    const list = val(own, 'w:numId')
    if (list !== undefined) return lists.has(list) ? { list, level: Number(val(own, 'w:ilvl') ?? 0) || 0 } : null
    each = styleOf.get(val(each, 'w:basedOn') ?? '')
  }
  return null
}
