import { LiteParse, type ParsedPage } from '@llamaindex/liteparse'
import type { UseOcr } from '../../../contract/http/conversion.ts'
import { ConversionError, encrypted } from '../model/conversion-error.ts'
import { joinLines, mapTexts, tidy, type Block, type Document, type Page } from '../model/document.ts'
import { readFrame } from '../ocr/read-image.ts'
import { OCR_DPI, PAGES_AT_ONCE, type Recognizer } from '../ocr/recognize.ts'
import type { Raster } from '../ocr/raster.ts'
import type { TableReader, WordBox } from '../tables/table-reader.ts'
import { inOrder } from '../work/in-order.ts'
import { inBasicPlane } from './astral-characters.ts'
import { wholeCode } from './code-lines.ts'
import { plainTable } from './false-tables.ts'
import { boxOf, modelBlocks } from './layout-blocks.ts'
import { pageWarnings, pictures, sidewaysAngle, textSource, type PageDoubt } from './page-quality.ts'
import { hasRightToLeft, rightToLeftBlocks } from './right-to-left.ts'
import { droppedLines, withoutRunningLines } from './running-lines.ts'
import { isLetterSpaced, unevenLines, withJoinedLetters, withRaisedDigits } from './word-details.ts'

/** Pages whose layout is in memory at once. */
const BATCH_PAGES = 25
const MAX_PAGES = 5000

/** Configures pages that may be pictures: those of PDF files and images. */
export interface PageOptions {
  /** auto: pages that are pictures or whose text is garbled. */
  useOcr: UseOcr
  /** Made when the first page needs it. */
  recognizer: () => Promise<Recognizer>
  /** Reads tables again with a model; null keeps the result of the rules. */
  tables: TableReader | null
}

interface ReadPage {
  page: Page
  blocks: Block[]
  recognized: boolean
  /** Tells a person how the page was read. */
  doubt: PageDoubt | null
  /** Lines at its edges that the engine took for running ones. */
  dropped: ReturnType<typeof droppedLines>
}

/** A PDF, page window by page window, so that memory depends on the window and on the text, not on the file. */
export async function readPdf(bytes: Uint8Array, options: PageOptions): Promise<Document & { ocrPages: number }> {
  const document: Document = { sourceFormat: 'pdf', pages: [], blocks: [], images: [], warnings: [] }
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Some programs write other bytes before the file's own head, from which its offsets count.
  const reader = pageReader(whole.subarray(Math.max(0, whole.indexOf('%PDF-'))), options)
  const doubts = new Map<number, PageDoubt>()
  const dropped: ReturnType<typeof droppedLines> = []
  let ocrPages = 0
  try {
    const pages = reader.pages((warning) => document.warnings.push(warning))
    for await (const { page, blocks, recognized, doubt, dropped: lines } of inOrder(
      pages,
      PAGES_AT_ONCE,
      reader.read,
    )) {
      document.pages.push(page)
      document.blocks.push(...blocks)
      dropped.push(...lines)
      if (recognized) ocrPages += 1
      if (doubt !== null) doubts.set(page.number, doubt)
    }
  } catch (error) {
    throw pdfError(error)
  }
  document.warnings.push(...pageWarnings(doubts))
  const { blocks, warnings } = withoutRunningLines(document.blocks, document.pages, dropped)
  document.warnings.push(...warnings)
  document.blocks = joinParagraphs(blocks)
  return { ...document, ocrPages }
}

function pageReader(original: Buffer, { useOcr, recognizer, tables }: PageOptions) {
  const { source, restore } = inBasicPlane(original)
  const settings = {
    ocrEnabled: false,
    quiet: true,
    numWorkers: 1,
    extractBlocks: true,
    includeComplexity: true,
    extractLinks: false,
    extractFormFields: true,
    emitWordBoxes: tables !== null,
  } as const
  const parser = new LiteParse({ ...settings, maxPages: MAX_PAGES, continueOnPageError: true })
  const render = new LiteParse({ ocrEnabled: false, quiet: true, dpi: OCR_DPI })

  async function* pages(warn: (warning: string) => void): AsyncGenerator<ParsedPage> {
    for await (const { result, totalPages } of parser.parseBatches(source, { batchSize: BATCH_PAGES })) {
      if (totalPages > MAX_PAGES)
        throw new ConversionError('too_large', `the PDF has ${totalPages} pages; at most ${MAX_PAGES} are read`)
      for (const { pageNum } of result.pageErrors) warn(`page ${pageNum} is damaged and was left out`)
      yield* result.pages
    }
  }

  /** Null for a page of one colour. */
  async function draw({ pageNum, width }: ParsedPage): Promise<Raster | null> {
    const [picture] = await render.screenshot(source, [pageNum])
    return picture === undefined || picture.isSolidFill ? null : readFrame(picture.imageBuffer, 0, width)
  }

  /** The page alone: turned upright, with what its right-to-left lines need, and with lines that repeat on other pages. */
  async function again(page: number, angle: 90 | 180 | 270 | null, isRightToLeft: boolean): Promise<ParsedPage> {
    const corrections = angle === null ? {} : { pageOrientationCorrections: [{ page, angle }] }
    const details = isRightToLeft ? { emitWordBoxes: true, extractVectorGraphics: true } : {}
    const { pages: read } = await new LiteParse({
      ...settings,
      ...corrections,
      ...details,
      keepHeadersFooters: true,
      targetPages: String(page),
    }).parse(source)
    return read[0]!
  }

  /** Blocks with raised digits and letters that are set apart, for which the page is read once more with the boxes of its words. */
  async function withDetails(blocks: Block[], page: ParsedPage): Promise<Block[]> {
    const lines = unevenLines(page)
    if (lines.length === 0 && !blocks.some(isLetterSpaced)) return blocks
    const { pages: boxed } = await new LiteParse({
      ...settings,
      emitWordBoxes: true,
      targetPages: String(page.pageNum),
    }).parse(source)
    const words = wordsOf(boxed[0]!)
    const joined = blocks.map((block) => withJoinedLetters(block, words))
    const raster = lines.length === 0 ? null : await draw(page)
    return raster === null ? joined : joined.map((block) => withRaisedDigits(block, words, lines, raster))
  }

  async function read(parsed: ParsedPage): Promise<ReadPage> {
    const text = restore(parsed.text)
    const kept = textSource(parsed, text, useOcr)
    if (kept === 'recognition') {
      const raster = await draw(parsed)
      if (raster !== null) {
        const { isDoubtful, ...read } = await (await recognizer()).page(raster, parsed.pageNum, tables)
        return { ...read, recognized: true, doubt: isDoubtful ? 'doubtful' : null, dropped: [] }
      }
    }
    const angle = sidewaysAngle(parsed)
    const isRightToLeft = hasRightToLeft(text)
    // The engine drops lines that repeat at the edges of pages, also where a page has no other.
    const isBare = (parsed.blocks ?? []).length === 0 && parsed.textItems.length > 0
    const isAgain = angle !== null || isRightToLeft || isBare
    const upright = isAgain ? await again(parsed.pageNum, angle, isRightToLeft) : parsed
    const laidOut = isRightToLeft ? rightToLeftBlocks(upright) : modelBlocks(upright.blocks ?? [], upright.pageNum)
    const runs = upright.textItems.map((item) => item.text)
    const found = wholeCode(
      laidOut.flatMap((block) => (block.kind === 'table' ? plainTable(block, runs) : [block])),
      upright.textItems,
    )
    const unread = pictures(upright, useOcr)
    const detailed = isRightToLeft || angle !== null ? found : await withDetails(found, upright)
    const blocks = withFieldValues([...detailed, ...unread], parsed, text)
    // The page is drawn as it lies in the file, and words are read from the left: other pages keep the tables of the rules.
    const raster =
      tables !== null && angle === null && !isRightToLeft && blocks.some(isTable) ? await draw(parsed) : null
    const read = raster === null ? blocks : await tables!.read(blocks, raster, wordsOf(upright))
    return {
      page: pageOf(upright),
      blocks: read.map((block) => mapTexts(block, restore)),
      recognized: false,
      dropped: isAgain ? [] : droppedLines(upright, found),
      doubt: unread.length > 0 ? 'unread' : typeof kept === 'string' ? null : kept.kept,
    }
  }
  return { pages, read }
}

/** Returns what was filled into a form and is not drawn on the page, each value where its field is. */
function withFieldValues(blocks: Block[], { pageNum, formFields = [] }: ParsedPage, shown: string): Block[] {
  const all = [...blocks]
  for (const { type, value, rect, name = '', alternateName, checked } of formFields) {
    const isBox = /check|radio/i.test(type)
    const text = tidy(isBox ? `${checked === true ? '[x]' : '[ ]'} ${alternateName ?? name}` : (value ?? ''))
    if (text === '' || (!isBox && /button|signature/i.test(type)) || tidy(shown).includes(text)) continue
    const box = rect === undefined ? null : boxOf(rect)
    const at = box === null ? -1 : all.findIndex(({ place }) => (place?.box?.top ?? 0) > box.top)
    all.splice(at < 0 ? all.length : at, 0, { kind: 'paragraph', text, place: { page: pageNum, box } })
  }
  return all
}

const isTable = ({ kind }: Block): boolean => kind === 'table'

const wordsOf = ({ textItems }: ParsedPage): WordBox[] =>
  textItems.flatMap((item) => (item.words === undefined || item.words.length === 0 ? [item] : item.words))

const pageOf = ({ pageNum, width, height }: ParsedPage): Page => ({ number: pageNum, widthPt: width, heightPt: height })

function pdfError(error: unknown): unknown {
  if (error instanceof ConversionError) return error
  const text = String(error)
  if (/password|encrypt|security/i.test(text)) return encrypted()
  if (/PDF error|pdfium|page|conversion error/i.test(text))
    return new ConversionError('damaged', 'the PDF cannot be read', { cause: error })
  return error
}

const ENDS = /[.!?:;…"”»)\]]$/u

/** Joins a paragraph that runs on in the next column or on the next page: it ends without a mark and goes on in lower case. */
function joinParagraphs(blocks: readonly Block[]): Block[] {
  const joined: Block[] = []
  for (const block of blocks) {
    const former = joined.at(-1)
    if (former?.kind === 'paragraph' && block.kind === 'paragraph' && runsOn(former.text, block.text)) {
      joined[joined.length - 1] = { ...former, text: joinLines(former.text, block.text) }
    } else joined.push(block)
  }
  return joined
}

const runsOn = (former: string, next: string): boolean =>
  !ENDS.test(former) && former.length > 60 && /^\p{Ll}/u.test(next)
