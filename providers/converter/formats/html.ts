import { parse } from 'parse5'
import type { DefaultTreeAdapterTypes } from 'parse5'
import type { DocumentFormat } from '../../../contract/index.ts'
import { tidy, withoutControls } from '../model/document.ts'
import type { Block, Document, ImageAsset, Place } from '../model/document.ts'
import { tableOfLooseRows } from '../model/table.ts'
import type { LooseCell } from '../model/table.ts'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

const SKIPPED = new Set([
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
const BLOCK = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'html img li main math ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)

/** Deepest nesting whose structure is walked: hostile markup nests without end. What is deeper is kept as plain text. */
const MAX_DEPTH = 400

const isElement = (node: Node): node is Element => 'tagName' in node

const attribute = (element: Element, name: string): string | null =>
  element.attrs.find((candidate) => candidate.name === name)?.value ?? null

/** Blocks of an HTML page. Pictures are taken over where the page carries them itself (`data:`); nothing is fetched. */
export function readHtml(text: string, sourceFormat: DocumentFormat): Document {
  const walk = createWalk()
  walk.children(parse(text).childNodes, 0)
  walk.flush()
  return { sourceFormat, pages: [], blocks: walk.blocks, images: walk.images, warnings: [] }
}

function createWalk() {
  const blocks: Block[] = []
  const images: ImageAsset[] = []
  /** Inline text that no block has taken yet. */
  let loose = ''
  let loosePlace: Place | null = null
  const lists: boolean[] = []
  let inItem = false

  const flush = (): void => {
    const text = tidy(loose)
    loose = ''
    if (text === '') return
    if (inItem)
      blocks.push({
        kind: 'list_item',
        level: Math.max(0, lists.length - 1),
        ordered: lists.at(-1) ?? false,
        text,
        place: loosePlace,
      })
    else blocks.push({ kind: 'paragraph', text, place: loosePlace })
    inItem = false
    loosePlace = null
  }

  const children = (nodes: readonly Node[], depth: number): void => {
    for (const node of nodes) {
      if (node.nodeName === '#text') loose += (node as DefaultTreeAdapterTypes.TextNode).value
      else if (isElement(node)) element(node, depth + 1)
    }
  }

  const element = (node: Element, depth: number): void => {
    const name = node.tagName
    if (SKIPPED.has(name)) return
    if (depth > MAX_DEPTH) {
      loose += ` ${deepText(node)} `
      return
    }
    if (name === 'br') loose += ' '
    if (!BLOCK.has(name)) {
      children(node.childNodes, depth)
      return
    }
    flush()
    if (/^h[1-6]$/.test(name)) {
      const text = tidy(textOf(node))
      if (text !== '') blocks.push({ kind: 'heading', level: Number(name[1]), text, place: placeOf(node) })
      collectImages(node)
    } else if (name === 'table') table(node, depth)
    else if (name === 'pre') code(node)
    else if (name === 'math') blocks.push({ kind: 'formula', text: mathText(node), place: placeOf(node) })
    else if (name === 'img') image(node, null)
    else if (name === 'figure') figure(node, depth)
    else if (name === 'ul' || name === 'ol') {
      lists.push(name === 'ol')
      children(node.childNodes, depth)
      flush()
      lists.pop()
      inItem = false
    } else if (attribute(node, 'class') === 'formula') {
      blocks.push({ kind: 'formula', text: textOf(node), place: placeOf(node) })
    } else {
      const item = name === 'li' && lists.length > 0
      if (item) inItem = true
      if (item || name === 'p') loosePlace = placeOf(node) ?? loosePlace
      children(node.childNodes, depth)
      flush()
      if (item) inItem = false
    }
  }

  const code = (node: Element): void => {
    const inner = node.childNodes.find((child) => isElement(child) && child.tagName === 'code') as Element | undefined
    const language = /\blanguage-([\w+#.-]+)/.exec(attribute(inner ?? node, 'class') ?? '')?.[1] ?? null
    const text = withoutControls(textOf(node)).replace(/\n$/, '')
    if (text.trim() !== '') blocks.push({ kind: 'code', language, text, place: placeOf(node) })
  }

  const figure = (node: Element, depth: number): void => {
    const caption = find(node, 'figcaption')
    const picture = find(node, 'img')
    const words = caption === null ? null : tidy(textOf(caption))
    if (picture !== null || find(node, 'table') === null)
      image(picture ?? node, words === '' ? null : words, placeOf(node))
    else children(node.childNodes, depth)
  }

  const image = (node: Element, caption: string | null, place = placeOf(node)): void => {
    const asset = dataImage(attribute(node, 'src') ?? '')
    if (asset !== null) images.push(asset)
    const words = caption ?? tidy(attribute(node, 'alt') ?? '')
    blocks.push({
      kind: 'figure',
      caption: words === '' ? null : words,
      image: asset === null ? null : images.length - 1,
      place,
    })
  }

  const collectImages = (node: Element): void => {
    for (const child of node.childNodes)
      if (isElement(child)) {
        if (child.tagName === 'img') image(child, null)
        else collectImages(child)
      }
  }

  const table = (node: Element, depth: number): void => {
    const rows = rowsOf(node, depth)
    const caption = find(node, 'caption')
    const isLayout = rows.length === 0 || (rows.every((row) => row.length <= 1) && find(node, 'table', true) !== null)
    if (isLayout) {
      children(node.childNodes, depth)
      flush()
      return
    }
    const words = caption === null ? '' : tidy(textOf(caption))
    blocks.push(tableOfLooseRows(rows, words === '' ? null : words, placeOf(node)))
    collectImages(node)
  }

  return { blocks, images, children, flush }
}

/** Rows of a table itself, not of tables inside its cells. */
function rowsOf(node: Element, depth: number): LooseCell[][] {
  if (depth > MAX_DEPTH) return []
  return node.childNodes.flatMap((child): LooseCell[][] => {
    if (!isElement(child)) return []
    if (child.tagName === 'tr') {
      const cells = child.childNodes.filter(
        (cell): cell is Element => isElement(cell) && (cell.tagName === 'td' || cell.tagName === 'th'),
      )
      const inHead = node.tagName === 'thead'
      return [cells.map((cell) => looseCell(cell, inHead))]
    }
    return ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? rowsOf(child, depth + 1) : []
  })
}

function looseCell(cell: Element, inHead: boolean): LooseCell {
  const span = (name: string): number =>
    Math.max(1, Math.min(1000, Number.parseInt(attribute(cell, name) ?? '1', 10) || 1))
  return {
    text: tidy(textOf(cell)),
    rowSpan: span('rowspan'),
    columnSpan: span('colspan'),
    isHeader: cell.tagName === 'th' || inHead,
  }
}

/** All text below a node; blocks are separated by spaces. */
function textOf(node: Element, depth = 0): string {
  if (depth > MAX_DEPTH) return deepText(node)
  return node.childNodes
    .map((child) => {
      if (child.nodeName === '#text') return (child as DefaultTreeAdapterTypes.TextNode).value
      if (!isElement(child) || (SKIPPED.has(child.tagName) && child.tagName !== 'nav')) return ''
      if (child.tagName === 'br') return '\n'
      const text = textOf(child, depth + 1)
      return BLOCK.has(child.tagName) ? ` ${text} ` : text
    })
    .join('')
}

/** The same without a call for each level: nothing nests too deeply for it. */
function deepText(node: Element): string {
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
function mathText(node: Element): string {
  const source = find(node, 'annotation')
  return tidy(textOf(source ?? node))
}

function find(node: Element, name: string, below = false, depth = 0): Element | null {
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

/** Place of a block of our own export. */
function placeOf(node: Element): Place | null {
  const page = Number(attribute(node, 'data-page') ?? '')
  if (!Number.isInteger(page) || page < 1) return null
  const [left, top, right, bottom] = (attribute(node, 'data-box') ?? '').split(' ').map(Number)
  const whole = [left, top, right, bottom].every((value) => value !== undefined && Number.isFinite(value))
  return { page, box: whole ? { left: left!, top: top!, right: right!, bottom: bottom! } : null }
}

function dataImage(source: string): ImageAsset | null {
  const match = /^data:image\/(png|jpe?g|gif|webp);base64,/i.exec(source)
  if (match === null) return null
  const extension = match[1]!.toLowerCase().replace('jpeg', 'jpg') as ImageAsset['extension']
  return { extension, bytes: Buffer.from(source.slice(match[0].length), 'base64') }
}
