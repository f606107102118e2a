import { child, descend, elements, escapeXml, parseXml, type XmlElement } from './xml.ts'
import { replaceElements } from './docx-body.ts'

/** Marks around a formula in a run of text. */
export const FORMULA_START = '\u{E000}'
export const FORMULA_END = '\u{E001}'

/** Office formulas have no place in HTML: each becomes a run of text between two marks, in the notation of LaTeX. */
export const keepFormulas = (xml: string): string =>
  replaceElements(xml.replaceAll(/<m:oMathPara(?:\s[^>]*)?>|<\/m:oMathPara>/g, ''), 'm:oMath', (inner) => {
    const text = escapeXml(latexOf(inner))
    return `<w:r><w:t xml:space="preserve">${FORMULA_START}${text}${FORMULA_END}</w:t></w:r>`
  })

function latexOf(inner: string): string {
  const names = [...new Set([...inner.matchAll(/<\/?(\w+):/g)].map(([, prefix]) => prefix!))]
  const attributes = [...new Set([...inner.matchAll(/\s(\w+):\w+=/g)].map(([, prefix]) => prefix!))]
  const spaces = [...new Set([...names, ...attributes])]
    .filter((prefix) => prefix !== 'xml' && prefix !== 'xmlns')
    .map((prefix) => `xmlns:${prefix}="urn:${prefix}"`)
    .join(' ')
  try {
    return write(parseXml(`<math ${spaces}>${inner}</math>`))
  } catch {
    return inner.replaceAll(/<[^>]*>/g, '')
  }
}

/** Operators with limits and their LaTeX names; others are written unchanged. */
const OPERATORS: Readonly<Record<string, string>> = {
  '∫': '\\int',
  '∬': '\\iint',
  '∭': '\\iiint',
  '∮': '\\oint',
  '∑': '\\sum',
  '∏': '\\prod',
  '∐': '\\coprod',
  '⋃': '\\bigcup',
  '⋂': '\\bigcap',
  '⋁': '\\bigvee',
  '⋀': '\\bigwedge',
}

/** Marks above a letter. */
const ACCENTS: Readonly<Record<string, string>> = {
  '\u0302': '\\hat',
  '\u0303': '\\tilde',
  '\u0304': '\\bar',
  '\u0305': '\\overline',
  '\u0307': '\\dot',
  '\u0308': '\\ddot',
  '\u20d7': '\\vec',
}

/** A property of an element: its `m:…Pr` has one element for each. Null where it is not set, '' where it is set to nothing. */
function property(node: XmlElement, name: string): string | null {
  const found = descend(node, `${node.name}Pr`, name)
  return found === null ? null : (found.attributes['m:val'] ?? found.attributes['val'] ?? '')
}

const writeAll = (node: XmlElement): string =>
  node.children.map((each) => (typeof each === 'string' ? '' : write(each))).join('')

const isOn = (value: string | null): boolean => value !== null && value !== '0' && value !== 'off' && value !== 'false'

/** An element of Office Math (ECMA-376, 22.1) as LaTeX. */
function write(node: XmlElement): string {
  const part = (name: string): string => {
    const found = child(node, name)
    return found === null ? '' : writeAll(found)
  }
  const script = (mark: '_' | '^', text: string): string => (text === '' ? '' : `${mark}{${text}}`)
  if (node.name.endsWith('Pr')) return ''
  switch (node.name) {
    case 'm:t':
      return node.children.filter((each) => typeof each === 'string').join('')
    case 'm:f':
      return `\\frac{${part('m:num')}}{${part('m:den')}}`
    case 'm:sSup':
      return `${part('m:e')}${script('^', part('m:sup'))}`
    case 'm:sSub':
      return `${part('m:e')}${script('_', part('m:sub'))}`
    case 'm:sSubSup':
      return `${part('m:e')}${script('_', part('m:sub'))}${script('^', part('m:sup'))}`
    case 'm:sPre':
      return `{}${script('_', part('m:sub'))}${script('^', part('m:sup'))}${part('m:e')}`
    case 'm:rad': {
      const degree = isOn(property(node, 'm:degHide')) ? '' : part('m:deg')
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${part('m:e')}}`
    }
    case 'm:nary': {
      // Without a sign of its own it is an integral.
      const sign = property(node, 'm:chr') ?? '∫'
      const limits = script('_', part('m:sub')) + script('^', part('m:sup'))
      return `${OPERATORS[sign] ?? sign}${limits} ${part('m:e')}`
    }
    case 'm:func':
      return `${part('m:fName')} ${part('m:e')}`
    case 'm:limLow':
      return `${part('m:e')}${script('_', part('m:lim'))}`
    case 'm:limUpp':
      return `${part('m:e')}${script('^', part('m:lim'))}`
    case 'm:d': {
      const [begin, between, end] = [
        property(node, 'm:begChr') ?? '(',
        property(node, 'm:sepChr') ?? '|',
        property(node, 'm:endChr') ?? ')',
      ]
      const inside = elements(node).filter(({ name }) => name === 'm:e')
      return `${begin}${inside.map(writeAll).join(between)}${end}`
    }
    case 'm:acc':
      return `${ACCENTS[property(node, 'm:chr') ?? '\u0302'] ?? '\\hat'}{${part('m:e')}}`
    case 'm:bar':
      return property(node, 'm:pos') === 'top' ? `\\overline{${part('m:e')}}` : `\\underline{${part('m:e')}}`
    case 'm:m':
      return `\\begin{matrix}${rows(node, 'm:mr')}\\end{matrix}`
    case 'm:eqArr':
      return `\\begin{aligned}${elements(node)
        .filter(({ name }) => name === 'm:e')
        .map(writeAll)
        .join(' \\\\ ')}\\end{aligned}`
    default:
      return writeAll(node)
  }
}

const rows = (node: XmlElement, name: string): string =>
  elements(node)
    .filter((row) => row.name === name)
    .map((row) => elements(row).map(writeAll).join(' & '))
    .join(' \\\\ ')
