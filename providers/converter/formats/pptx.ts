import { strFromU8 } from 'fflate'
import { ConversionError } from '../model/conversion-error.ts'
import { tidy as tidied } from '../model/document.ts'
import type { Block, Box, Document, ImageAsset, Page, Place } from '../model/document.ts'
import { numeral } from '../model/list-numbers.ts'
import { lowered, raised, writtenScripts } from '../model/scripts.ts'
import { mainPart, openArchive, relations, type Archive } from './archive.ts'
import { drawingBlocks } from './office-drawings.ts'
import { child, descend, descendants, elements, parseXml, type XmlElement } from './xml.ts'

const EMU_PER_POINT = 12_700

const tidy = (text: string): string => writtenScripts(tidied(text))

/** A slide show: a slide is a page, its title a heading; the speaker's notes follow the slide. */
export function readPptx(bytes: Uint8Array): Document {
  const parts = openArchive(bytes)
  try {
    return readSlides(parts)
  } catch (error) {
    if (error instanceof ConversionError) throw error
    throw new ConversionError('damaged', 'the slide show cannot be read', { cause: error })
  }
}

function readSlides(parts: Archive): Document {
  const main = mainPart(parts) ?? 'ppt/presentation.xml'
  const show = xmlPart(parts, main)
  const size = child(show, 'p:sldSz')
  const widthPt = Number(size?.attributes['cx'] ?? 0) / EMU_PER_POINT
  const heightPt = Number(size?.attributes['cy'] ?? 0) / EMU_PER_POINT
  const targets = relations(parts, main)
  const slides = descendants(show, 'p:sldId').map(
    ({ attributes }) => targets.get(attributes['r:id'] ?? '')?.target ?? '',
  )
  const document: Document = { sourceFormat: 'pptx', pages: [], blocks: [], images: [], warnings: [] }
  const hidden: number[] = []
  slides.forEach((name, index) => {
    const page: Page = { number: index + 1, widthPt, heightPt }
    document.pages.push(page)
    const slide = xmlPart(parts, name)
    if (slide.attributes['show'] === '0' || slide.attributes['show'] === 'false') hidden.push(page.number)
    else document.blocks.push(...readSlide(slide, parts, name, page.number, document.images))
  })
  if (hidden.length > 0)
    document.warnings.push(
      `${hidden.length} hidden ${hidden.length === 1 ? 'slide was' : 'slides were'} left out (${hidden.join(', ')})`,
    )
  return document
}

interface Placed {
  /** Titles come first wherever they are on the slide. */
  isTitle: boolean
  top: number
  left: number
  blocks: Block[]
}

function readSlide(slide: XmlElement, parts: Archive, name: string, page: number, images: ImageAsset[]): Block[] {
  const links = relations(parts, name)
  const tree = descend(slide, 'p:cSld', 'p:spTree')
  const shapes = tree === null ? [] : readShapes(tree, { page, parts, links, images })
  shapes.sort((a, b) => Number(b.isTitle) - Number(a.isTitle) || rowOf(a) - rowOf(b) || a.left - b.left)
  const notes = [...links.values()].find(({ type }) => type.endsWith('/notesSlide'))
  return [
    ...shapes.flatMap(({ blocks }) => blocks),
    ...(notes === undefined ? [] : readNotes(parts, notes.target, page)),
  ]
}

/** Shapes whose tops differ by less than a line are in one row. */
const rowOf = ({ top }: Placed): number => Math.round(top / 12)

interface SlideContext {
  page: number
  parts: Archive
  links: ReturnType<typeof relations>
  images: ImageAsset[]
}

function readShapes(tree: XmlElement, context: SlideContext): Placed[] {
  return elements(tree).flatMap((shape): Placed[] => {
    const box = boxOf(shape)
    const place: Place = { page: context.page, box }
    const at = { isTitle: false, top: box?.top ?? 0, left: box?.left ?? 0 }
    switch (shape.name) {
      case 'p:grpSp':
        return readShapes(shape, context)
      case 'p:sp': {
        const kind = descend(shape, 'p:nvSpPr', 'p:nvPr', 'p:ph')?.attributes
        const isTitle = /^(title|ctrTitle)$/.test(kind?.['type'] ?? '')
        if (/^(sldNum|dt|ftr)$/.test(kind?.['type'] ?? '')) return []
        const isBody = kind !== undefined && /^(body|obj)?$/.test(kind['type'] ?? '')
        return [{ ...at, isTitle, blocks: textBlocks(shape, isTitle ? 'title' : isBody ? 'body' : 'free', place) }]
      }
      case 'p:graphicFrame': {
        const table = descendants(shape, 'a:tbl')[0]
        if (table !== undefined) return [{ ...at, blocks: [readTable(table, place)] }]
        const drawing =
          descendants(shape, 'c:chart')[0]?.attributes['r:id'] ??
          descendants(shape, 'dgm:relIds')[0]?.attributes['r:dm']
        const drawn =
          drawing === undefined ? [] : drawingBlocks(context.parts[context.links.get(drawing)?.target ?? ''], place)
        if (drawn.length > 0) return [{ ...at, blocks: drawn }]
        const words = descend(shape, 'p:nvGraphicFramePr', 'p:cNvPr')?.attributes['descr'] ?? ''
        return [{ ...at, blocks: [{ kind: 'figure', caption: words === '' ? null : tidy(words), image: null, place }] }]
      }
      case 'p:pic':
        return [{ ...at, blocks: [readPicture(shape, place, context)] }]
      default:
        return []
    }
  })
}

function boxOf(shape: XmlElement): Box | null {
  const frame = descend(shape, 'p:spPr', 'a:xfrm') ?? child(shape, 'p:xfrm')
  const at = child(frame, 'a:off')?.attributes
  const size = child(frame, 'a:ext')?.attributes
  if (at === undefined || size === undefined) return null
  const points = (value: string | undefined): number => Math.round(Number(value ?? 0) / EMU_PER_POINT)
  const [left, top] = [points(at['x']), points(at['y'])]
  return { left, top, right: left + points(size['cx']), bottom: top + points(size['cy']) }
}

function textBlocks(shape: XmlElement, role: 'title' | 'body' | 'free', place: Place): Block[] {
  const body = child(shape, 'p:txBody')
  if (body === null) return []
  const paragraphs = elements(body).filter(({ name }) => name === 'a:p')
  if (role === 'title') {
    const text = tidy(paragraphs.map(paragraphText).join(' '))
    return text === '' ? [] : [{ kind: 'heading', level: 2, text, place }]
  }
  const numbers: number[] = []
  return paragraphs.flatMap((paragraph): Block[] => {
    const text = tidy(paragraphText(paragraph))
    if (text === '') return []
    const settings = child(paragraph, 'a:pPr')
    const level = Math.min(8, Number(settings?.attributes['lvl'] ?? 0) || 0)
    const numbering = child(settings, 'a:buAutoNum')?.attributes
    const numbered = numbering !== undefined
    numbers.length = Math.min(numbers.length, numbered ? level + 1 : level)
    if (numbered) numbers[level] = (numbers[level] ?? (Number(numbering['startAt'] ?? 1) || 1) - 1) + 1
    const marked = numbered || child(settings, 'a:buChar') !== null
    // Bodies have bullets by their layout unless they set another; a single line is a sentence.
    const isItem = marked || (role === 'body' && paragraphs.length > 1 && child(settings, 'a:buNone') === null)
    if (!isItem) return [{ kind: 'paragraph', text, place }]
    return [
      {
        kind: 'list_item',
        level,
        ordered: numbered,
        ...(numbered ? { marker: markerOf(numbers[level]!, numbering['type'] ?? '') } : {}),
        text,
        place,
      },
    ]
  })
}

/** The kinds of numbers that PowerPoint names `romanUcParenBoth` and the like. */
function markerOf(number: number, type: string): string {
  const style = (['alphaLc', 'alphaUc', 'romanLc', 'romanUc'] as const).find((each) => type.startsWith(each))
  const text = numeral(number, style === undefined ? 'decimal' : STYLES[style])
  return type.endsWith('ParenBoth') ? `(${text})` : type.endsWith('ParenR') ? `${text})` : `${text}.`
}

const STYLES = { alphaLc: 'lowerLetter', alphaUc: 'upperLetter', romanLc: 'lowerRoman', romanUc: 'upperRoman' } as const

/** A run that is raised or lowered states by how much. */
function runText(run: XmlElement): string {
  const baseline = Number(child(run, 'a:rPr')?.attributes['baseline'] ?? 0)
  const text = paragraphText(run)
  return baseline > 0 ? raised(text) : baseline < 0 ? lowered(text) : text
}

const paragraphText = (paragraph: XmlElement): string =>
  paragraph.children
    .map((each) =>
      typeof each === 'string'
        ? each
        : each.name === 'a:br'
          ? ' '
          : each.name === 'a:pPr' || each.name === 'a:endParaRPr'
            ? ''
            : runText(each),
    )
    .join('')

function readTable(table: XmlElement, place: Place): Block {
  const hasHeader = child(table, 'a:tblPr')?.attributes['firstRow'] !== '0'
  const rows = elements(table).filter(({ name }) => name === 'a:tr')
  const columns = Math.max(0, ...rows.map((row) => elements(row).filter(({ name }) => name === 'a:tc').length))
  const cells = rows.flatMap((row, rowIndex) =>
    elements(row)
      .filter(({ name }) => name === 'a:tc')
      .flatMap((cell, column) => {
        const { gridSpan, rowSpan, hMerge, vMerge } = cell.attributes
        if (hMerge === '1' || vMerge === '1') return []
        const text = tidy(descendants(cell, 'a:p').map(paragraphText).join(' '))
        const span = (value: string | undefined, most: number): number =>
          Math.max(1, Math.min(most, Number(value ?? 1) || 1))
        return [
          {
            row: rowIndex,
            column,
            rowSpan: span(rowSpan, rows.length - rowIndex),
            columnSpan: span(gridSpan, columns - column),
            text,
            isHeader: hasHeader && rowIndex === 0,
          },
        ]
      }),
  )
  return { kind: 'table', rows: rows.length, columns, cells, caption: null, place }
}

function readPicture(shape: XmlElement, place: Place, { parts, links, images }: SlideContext): Block {
  const link = links.get(descend(shape, 'p:blipFill', 'a:blip')?.attributes['r:embed'] ?? '')
  const words = tidy(descend(shape, 'p:nvPicPr', 'p:cNvPr')?.attributes['descr'] ?? '')
  const caption = words === '' ? null : words
  const bytes = link === undefined ? undefined : parts[link.target]
  const extension = /\.(png|jpe?g|gif|webp)$/i
    .exec(link?.target ?? '')?.[1]
    ?.toLowerCase()
    .replace('jpeg', 'jpg')
  if (bytes === undefined || extension === undefined) return { kind: 'figure', caption, image: null, place }
  images.push({ extension: extension as ImageAsset['extension'], bytes })
  return { kind: 'figure', caption, image: images.length - 1, place }
}

function readNotes(parts: Archive, name: string, page: number): Block[] {
  if (parts[name] === undefined) return []
  const shapes = descendants(xmlPart(parts, name), 'p:sp')
  return shapes
    .filter((shape) => descend(shape, 'p:nvSpPr', 'p:nvPr', 'p:ph')?.attributes['type'] === 'body')
    .flatMap((shape) => textBlocks(shape, 'free', { page, box: null }))
}

function xmlPart(parts: Archive, name: string): XmlElement {
  const part = parts[name]
  if (part === undefined) throw new ConversionError('damaged', `the file lacks its part '${name}'`)
  return parseXml(strFromU8(part))
}
