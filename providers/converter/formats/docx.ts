import { strFromU8, strToU8 } from 'fflate'
import mammoth from 'mammoth'
import { ConversionError } from '../model/conversion-error.ts'
import { mapTexts, tidy, type Block, type Document, type Page } from '../model/document.ts'
import { withHeaderRow } from '../model/table.ts'
import { mainPart, openArchive, relations, repack, type Archive } from './archive.ts'
import { DRAWING_MARK, readableBody, replaceElements } from './docx-body.ts'
import { FORMULA_END, FORMULA_START, keepFormulas } from './docx-formulas.ts'
import { NUMBER_MARK, writeNumbers } from './docx-numbers.ts'
import { readHtml } from './html.ts'
import { drawingBlocks } from './office-drawings.ts'
import { unescapeXml } from './xml.ts'

/** Styles beside the ones that mammoth maps by itself. */
const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => h2:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
  "p[style-name='Code'] => pre:separator('\n')",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\n')",
]

/** Properties of the file beyond this size are not its page count. */
const MOST_PROPERTIES_BYTES = 1024 * 1024

/** A Word document. Formulas become LaTeX, charts tables of their numbers; headers, footers and comments are left out with a warning. */
export async function readDocx(bytes: Uint8Array): Promise<Document> {
  const parts = {
    ...openArchive(bytes, (name, size) => !name.startsWith('docProps/') || size <= MOST_PROPERTIES_BYTES),
  }
  const main = mainPart(parts) ?? 'word/document.xml'
  const body = parts[main]
  if (body === undefined) throw new ConversionError('damaged', 'the Word document has no body')
  const xml = strFromU8(body)
  const styles = parts['word/styles.xml']
  const readable = readableBody(xml, styles === undefined ? '' : strFromU8(styles))
  const links = relations(parts, main)
  // The library ends at a link that leads nowhere; its text is all that is kept of any.
  const linked = readable.xml.replaceAll(/<w:hyperlink\s[^>]*?r:id="([^"]*)"[^>]*>/g, (tag, id: string) =>
    links.has(id) || tag.endsWith('/>') ? tag : '<w:hyperlink>',
  )
  parts[main] = strToU8(keepPageBreaks(keepFormulas(writeNumbers(linked, parts))))
  const document = await converted(parts, readable.xml)
  document.blocks = document.blocks
    .flatMap((block) => withDrawings(block, (id) => drawingBlocks(parts[links.get(id)?.target ?? ''], null)))
    .map(withNumber)
    .flatMap((block): Block[] => {
      if (block.kind === 'table') return [withHeaderRow(block)]
      if (!('text' in block) || !block.text.includes(FORMULA_START)) return [block]
      const alone = new RegExp(`^${FORMULA_START}([^${FORMULA_END}]*)${FORMULA_END}$`).exec(block.text)
      if (alone !== null && block.kind === 'paragraph')
        return [{ kind: 'formula' as const, text: alone[1]!, place: null }]
      return [{ ...block, text: block.text.replaceAll(FORMULA_START, '$').replaceAll(FORMULA_END, '$') }]
    })
  document.pages = savedPages(parts, xml)
  document.blocks = placeOnPages(document.blocks, document.pages)
  const margins = paragraphsOf(parts, /^word\/(?:header|footer)\d*\.xml$/)
  // A letter may have its text in them alone.
  if (document.blocks.length === 0) document.blocks = margins
  else if (margins.length > 0) document.warnings.push('headers and footers were left out')
  if (paragraphsOf(parts, /^word\/comments\.xml$/).length > 0) document.warnings.push('comments were left out')
  if (readable.hidden > 0)
    document.warnings.push(
      `hidden text was left out in ${readable.hidden} ${readable.hidden === 1 ? 'place' : 'places'}`,
    )
  if (readable.readings > 0)
    document.warnings.push(`the readings (furigana) of ${readable.readings} words were left out`)
  return document
}

async function converted(parts: Archive, xml: string): Promise<Document> {
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(repack(parts)) },
      { styleMap: STYLES, externalFileAccess: false },
    )
    return readHtml(value, 'docx')
  } catch (error) {
    // The library fails on some markup that Word reads; the text can still be read.
    const blocks = error instanceof TypeError ? textBlocks(xml) : []
    if (blocks.length === 0) throw new ConversionError('damaged', 'the Word document cannot be read', { cause: error })
    const warnings = [
      'read as plain text, without headings, lists and tables: the structure of the document is damaged',
    ]
    return { sourceFormat: 'docx', pages: [], blocks, images: [], warnings }
  }
}

/** The paragraphs of a part's text. */
function textBlocks(xml: string): Block[] {
  return xml.split('</w:p>').flatMap((paragraph): Block[] => {
    let text = ''
    replaceElements(paragraph, 'w:t', (inner) => ((text += inner), ''))
    const shown = tidy(unescapeXml(text))
    return shown === '' ? [] : [{ kind: 'paragraph', text: shown, place: null }]
  })
}

const paragraphsOf = (parts: Archive, name: RegExp): Block[] =>
  Object.entries(parts).flatMap(([part, bytes]) => (name.test(part) ? textBlocks(strFromU8(bytes)) : []))

const NUMBER = new RegExp(`${NUMBER_MARK}([^${NUMBER_MARK}]*)${NUMBER_MARK}\\s*`, 'g')

/** A block with the number that Word shows before it: of an item its marker, else a part of the text. */
function withNumber(block: Block): Block {
  const [, marker] = block.kind === 'list_item' ? (new RegExp(`^${NUMBER.source}`).exec(block.text) ?? []) : []
  const bare = mapTexts(block, (text) => text.replaceAll(NUMBER, marker === undefined ? '$1 ' : ''))
  return marker === undefined || bare.kind !== 'list_item' ? bare : { ...bare, ordered: true, marker }
}

/** A paragraph, followed by the drawings that are anchored in it; a drawing elsewhere, as in a table, leaves nothing. */
function withDrawings(block: Block, blocksOf: (relation: string) => Block[]): Block[] {
  const mark = new RegExp(`${DRAWING_MARK}([^${DRAWING_MARK}]*)${DRAWING_MARK}`, 'g')
  if (block.kind === 'figure') return [block]
  if (block.kind === 'table') {
    const drawings = block.cells.flatMap(({ text }) => [...text.matchAll(mark)].flatMap(([, id]) => blocksOf(id!)))
    const cells = block.cells.map((cell) => ({ ...cell, text: tidy(cell.text.replaceAll(mark, ' ')) }))
    return [{ ...block, cells }, ...drawings]
  }
  if (!block.text.includes(DRAWING_MARK)) return [block]
  const text = tidy(block.text.replaceAll(mark, ' '))
  const drawings = [...block.text.matchAll(mark)].flatMap(([, id]) => blocksOf(id!))
  return [...(text === '' ? [] : [{ ...block, text }]), ...drawings]
}

/** Marks in the text where Word broke a page when it last laid out the document. */
const BREAK = '\u{E002}'
const MAX_PAGES = 100_000
const TWIPS_PER_POINT = 20
/** A letter page, where the document states no size. */
const USUAL_TWIPS = { width: 12_240, height: 15_840 }

/** Keeps Word's notes of where its pages broke through a conversion that knows no pages. */
const keepPageBreaks = (xml: string): string => xml.replaceAll(/<w:lastRenderedPageBreak\s*\/>/g, `<w:t>${BREAK}</w:t>`)

/** The pages that Word counted when it saved, in the size of the last section; none where it did not count. */
function savedPages(parts: Archive, xml: string): Page[] {
  const app = parts['docProps/app.xml']
  const count = app === undefined ? 0 : Number(/<Pages>(\d+)<\/Pages>/.exec(strFromU8(app))?.[1] ?? 0)
  const size = /<w:pgSz\s[^>]*>/.exec(xml)?.[0] ?? ''
  const points = (name: string, usual: number): number =>
    Number(new RegExp(`w:${name}="(\\d{1,6})"`).exec(size)?.[1] ?? usual) / TWIPS_PER_POINT
  const [widthPt, heightPt] = [points('w', USUAL_TWIPS.width), points('h', USUAL_TWIPS.height)]
  return Array.from({ length: count < MAX_PAGES ? count : 0 }, (_, index) => ({ number: index + 1, widthPt, heightPt }))
}

/**
 * Blocks with the page on which each starts, when Word's notes are as many as its pages have borders. Programs that break pages only when they draw
 * leave none, and an edit since makes them wrong: then no block has a page.
 */
function placeOnPages(blocks: readonly Block[], pages: readonly Page[]): Block[] {
  const breaks = blocks.reduce((sum, block) => sum + count(textOf(block)), 0)
  const areTrue = breaks > 0 && breaks === pages.length - 1
  let page = 1
  return blocks.flatMap((block): Block[] => {
    const text = textOf(block)
    page += count(/^[\s\u{E002}]*/u.exec(text)![0])
    const place = areTrue ? { page, box: null } : block.place
    page += count(text.trimStart().replace(/^[\s\u{E002}]*/u, ''))
    const bare = withoutBreaks(block)
    return text !== '' && textOf(bare) === '' ? [] : [{ ...bare, place }]
  })
}

const count = (text: string): number => text.split(BREAK).length - 1
const without = (text: string): string => (text.includes(BREAK) ? tidy(text.replaceAll(BREAK, ' ')) : text)

function textOf(block: Block): string {
  if (block.kind === 'table') return block.cells.map(({ text }) => text).join('')
  return block.kind === 'figure' ? (block.caption ?? '') : block.text
}

function withoutBreaks(block: Block): Block {
  if (block.kind === 'table')
    return { ...block, cells: block.cells.map((cell) => ({ ...cell, text: without(cell.text) })) }
  if (block.kind === 'figure') return block
  return { ...block, text: without(block.text) }
}
