import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import type { DocumentFormat } from '../../../core/document-formats.ts'
import { withoutControls, type Block, type Document, type ImageAsset, type Place } from '../model/document.ts'
import { writtenScripts } from '../model/scripts.ts'
import { tableOfLooseRows, type LooseCell } from '../model/table.ts'
import { hiddenIn } from './html-style.ts'
import {
  attribute,
  BLOCK,
  checkbox,
  deepText,
  find,
  isElement,
  markerOf,
  mathText,
  MAX_DEPTH,
  shiftOf,
  SKIPPED,
  textOf,
  tidy,
} from './html-text.ts'
import type { Element, Node } from './html-text.ts'

/** Blocks of an HTML page. Pictures are taken over where the page carries them itself (`data:`); nothing is fetched. */
export function readHtml(text: string, sourceFormat: DocumentFormat): Document {
  const page = parse(isXhtml(text) ? withClosedElements(text) : text)
  const hidden = dropHidden(page)
  const walk = createWalk()
  walk.children(page.childNodes, 0)
  walk.flush()
  const warnings = hidden === 0 ? [] : [`${hidden} hidden ${hidden === 1 ? 'part was' : 'parts were'} left out`]
  return { sourceFormat, pages: [], blocks: walk.blocks, images: walk.images, warnings }
}

const isXhtml = (text: string): boolean =>
  /^\uFEFF?\s*<\?xml\s/.test(text) || /<html[^>]*\sxmlns\s*=/i.test(text.slice(0, 4096))

/** In XML any element may end itself; in HTML the rest of the page would be within it. */
const withClosedElements = (text: string): string =>
  text.replaceAll(/<([a-z][a-z0-9]*)(\s[^<>]*)?\/>/gi, (tag, name: string, more: string | undefined) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${more ?? ''}></${name}>`,
  )

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/** Takes out what a browser would not show; how many parts with text that were. */
function dropHidden(page: DefaultTreeAdapterTypes.Document): number {
  const isHidden = hiddenIn(page)
  let count = 0
  const open: { childNodes: Node[] }[] = [page]
  for (let parent = open.pop(); parent !== undefined; parent = open.pop())
    parent.childNodes = parent.childNodes.filter((node) => {
      if (!isElement(node) || SKIPPED.has(node.tagName)) return true
      const leftOut = isHidden(node)
      if (leftOut && tidy(deepText(node)) !== '') count += 1
      if (!leftOut) open.push(node)
      return !leftOut
    })
  return count
}

function createWalk() {
  const blocks: Block[] = []
  const images: ImageAsset[] = []
  /** Inline text that no block has taken yet. */
  let loose = ''
  let loosePlace: Place | null = null
  const lists: boolean[] = []
  let inItem = false
  let marker: string | null = null

  const flush = (): void => {
    const text = tidy(loose)
    loose = ''
    if (text === '') return
    if (inItem)
      blocks.push({
        kind: 'list_item',
        level: Math.max(0, lists.length - 1),
        ordered: lists.at(-1) ?? false,
        ...(marker === null ? {} : { marker }),
        text,
        place: loosePlace,
      })
    else blocks.push({ kind: 'paragraph', text, place: loosePlace })
    inItem = false
    marker = null
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
    if (name === 'input') loose += checkbox(node)
    const shift = shiftOf(node)
    if (shift !== null && find(node, 'img') === null) {
      loose += shift(textOf(node))
      return
    }
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
      if (item) {
        inItem = true
        marker = markerOf(node)
      }
      if (item || name === 'p') loosePlace = placeOf(node) ?? loosePlace
      children(node.childNodes, depth)
      flush()
      if (item) {
        inItem = false
        marker = null
      }
    }
  }

  const code = (node: Element): void => {
    const inner = node.childNodes.find((child) => isElement(child) && child.tagName === 'code') as Element | undefined
    const language = /\blanguage-([\w+#.-]+)/.exec(attribute(inner ?? node, 'class') ?? '')?.[1] ?? null
    const text = writtenScripts(withoutControls(textOf(node))).replace(/\n$/, '')
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
