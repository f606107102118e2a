import { LiteParse } from '@llamaindex/liteparse'
import type { ParsedPage } from '@llamaindex/liteparse'
import { encrypted } from '../formats/detect.ts'
import { ConversionError } from '../model/conversion-error.ts'
import type { Block, Document, Page } from '../model/document.ts'
import { readFrame } from '../ocr/read-image.ts'
import { OCR_DPI } from '../ocr/recognize.ts'
import type { Recognizer } from '../ocr/recognize.ts'
import { dropRunningLines, joinParagraphs } from './join-paragraphs.ts'
import { modelBlocks } from './layout-blocks.ts'

/** Pages whose layout is in memory at once. */
const BATCH_PAGES = 25
const MAX_PAGES = 5000

export interface PdfOptions {
  /** auto: pages that are pictures or whose text is garbled. */
  useOcr: 'auto' | 'always' | 'never'
  /** Made when the first page needs it. */
  recognizer: () => Promise<Recognizer>
}

/** A PDF, page window by page window, so that memory depends on the window and on the text, not on the file. */
export async function readPdf(
  bytes: Uint8Array,
  { useOcr, recognizer }: PdfOptions,
): Promise<Document & { ocrPages: number }> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const document: Document = { sourceFormat: 'pdf', pages: [], blocks: [], images: [], warnings: [] }
  const settings = {
    ocrEnabled: false,
    quiet: true,
    numWorkers: 1,
    extractBlocks: true,
    includeComplexity: true,
    extractLinks: false,
  } as const
  const parser = new LiteParse({ ...settings, maxPages: MAX_PAGES, continueOnPageError: true })
  const render = new LiteParse({ ocrEnabled: false, quiet: true, dpi: OCR_DPI })
  let ocrPages = 0
  try {
    for await (const { result, totalPages } of parser.parseBatches(source, { batchSize: BATCH_PAGES })) {
      if (totalPages > MAX_PAGES)
        throw new ConversionError('too_large', `the PDF has ${totalPages} pages; at most ${MAX_PAGES} are read`)
      for (const { pageNum } of result.pageErrors) document.warnings.push(`page ${pageNum} is damaged and was left out`)
      for (const parsed of result.pages) {
        if (wantsOcr(parsed, useOcr)) {
          const [picture] = await render.screenshot(source, [parsed.pageNum])
          if (picture !== undefined && !picture.isSolidFill) {
            const read = await (await recognizer()).page(await readFrame(picture.imageBuffer, 0), parsed.pageNum)
            ocrPages += 1
            document.pages.push(read.page)
            document.blocks.push(...read.blocks)
            continue
          }
        }
        const angle = sidewaysAngle(parsed)
        const upright = angle === null ? parsed : await turned(source, parsed.pageNum, angle)
        document.pages.push(pageOf(upright))
        document.blocks.push(...modelBlocks(upright.blocks ?? [], upright.pageNum), ...pictures(upright, useOcr))
      }
    }
  } catch (error) {
    throw pdfError(error)
  }
  document.blocks = joinParagraphs(dropRunningLines(document.blocks, document.pages))
  return { ...document, ocrPages }

  async function turned(file: Buffer, page: number, angle: 90 | 180 | 270): Promise<ParsedPage> {
    const corrected = new LiteParse({
      ...settings,
      targetPages: String(page),
      pageOrientationCorrections: [{ page, angle }],
    })
    const { pages } = await corrected.parse(file)
    return pages[0]!
  }
}

const pageOf = ({ pageNum, width, height }: ParsedPage): Page => ({ number: pageNum, widthPt: width, heightPt: height })

function wantsOcr({ complexity, text }: ParsedPage, useOcr: PdfOptions['useOcr']): boolean {
  if (useOcr !== 'auto') return useOcr === 'always'
  if (complexity === undefined) return false
  const { reasons, textLength, fullPageImage, imageCoverage } = complexity
  if (reasons.includes('garbled') && !readsLikeWords(text)) return true
  return ((fullPageImage || imageCoverage > 0.3) && textLength < 40) || reasons.includes('scanned')
}

/** The engine calls pages of code and symbols garbled too; text in a wrong alphabet has few words with a vowel. */
function readsLikeWords(text: string): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? []
  return words.length > 20 && words.filter((word) => /[aeiouy]/i.test(word)).length > words.length * 0.8
}

/** A page that is a picture and was not recognised is told as one. */
const pictures = (
  { pageNum, width, height, complexity, textItems }: ParsedPage,
  useOcr: PdfOptions['useOcr'],
): Block[] =>
  useOcr === 'never' && complexity?.fullPageImage === true && textItems.length === 0
    ? [
        {
          kind: 'figure',
          caption: null,
          image: null,
          place: { page: pageNum, box: { left: 0, top: 0, right: width, bottom: height } },
        },
      ]
    : []

/** The angle at which most of a page's text runs; null where it runs as usual. */
function sidewaysAngle({ textItems }: ParsedPage): 90 | 180 | 270 | null {
  const letters = new Map<number, number>()
  for (const { rotation = 0, text } of textItems) {
    const angle = (((Math.round(rotation / 90) * 90) % 360) + 360) % 360
    letters.set(angle, (letters.get(angle) ?? 0) + text.length)
  }
  const total = [...letters.values()].reduce((sum, count) => sum + count, 0)
  const [angle, count] = [...letters].sort(([, a], [, b]) => b - a)[0] ?? [0, 0]
  return count > total * 0.6 && (angle === 90 || angle === 180 || angle === 270) ? angle : null
}

function pdfError(error: unknown): unknown {
  if (error instanceof ConversionError) return error
  const text = String(error)
  if (/password|encrypt|security/i.test(text)) return encrypted()
  if (/PDF error|pdfium|page/i.test(text))
    return new ConversionError('damaged', 'the PDF cannot be read', { cause: error })
  return error
}
