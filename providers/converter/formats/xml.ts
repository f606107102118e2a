import { SaxesParser } from 'saxes'

export interface XmlElement {
  /** With its prefix, as written. */
  name: string
  attributes: Record<string, string>
  children: (XmlElement | string)[]
}

const MAX_DEPTH = 500

/** A small tree of an XML part; throws on anything that is not well-formed. */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser()
  const root: XmlElement = { name: '', attributes: {}, children: [] }
  const open = [root]
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > MAX_DEPTH) throw new RangeError('the XML is nested too deeply')
    const element: XmlElement = { name, attributes, children: [] }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', (part) => void open.at(-1)!.children.push(part))
  parser.write(text).close()
  const first = root.children.find((child) => typeof child !== 'string')
  if (first === undefined) throw new Error('the XML has no element')
  return first
}

export const elements = (node: XmlElement): XmlElement[] =>
  node.children.filter((child): child is XmlElement => typeof child !== 'string')

export const child = (node: XmlElement | null, name: string): XmlElement | null =>
  node === null ? null : (elements(node).find((candidate) => candidate.name === name) ?? null)

/** The element at the end of a path of names; null where a step is missing. */
export const descend = (node: XmlElement | null, ...path: string[]): XmlElement | null =>
  path.reduce<XmlElement | null>((current, name) => child(current, name), node)

/** All elements of a name below a node, the node's own children first. */
export function descendants(node: XmlElement, name: string): XmlElement[] {
  return elements(node).flatMap((each) => (each.name === name ? [each] : descendants(each, name)))
}

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Text as it was before it was escaped. */
export const unescapeXml = (text: string): string =>
  text
    .replaceAll(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')

/** Text of a tree. */
export const textOfXml = (node: XmlElement): string =>
  node.children.map((each) => (typeof each === 'string' ? each : textOfXml(each))).join('')
