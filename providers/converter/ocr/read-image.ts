import sharp from 'sharp'
import type { DocumentFormat } from '../../../core/document-formats.ts'
import { ConversionError } from '../model/conversion-error.ts'
import type { Block, Document, Page } from '../model/document.ts'
import { pageWarnings, type PageDoubt } from '../pdf/page-quality.ts'
import type { TableReader } from '../tables/table-reader.ts'
import { inOrder } from '../work/in-order.ts'
import { OCR_DPI, PAGES_AT_ONCE, type Recognizer } from './recognize.ts'
import type { Raster } from './raster.ts'

/** Pixels of one picture that are unpacked: a page of A3 at 600 dpi has 70 million. */
const MAX_PIXELS = 120_000_000
const MAX_FRAMES = 2000
/** Widest page that a stated resolution may lead to, in inches. */
const WIDEST_IN = 24
const LETTER_WIDTH_IN = 8.5

/** A picture or a multi-page TIFF: each frame a page. Without recognition a page is one figure. */
export async function readImage(
  bytes: Uint8Array,
  sourceFormat: DocumentFormat,
  recognizer: Recognizer | null,
  tables: TableReader | null,
): Promise<Document> {
  const document: Document = { sourceFormat, pages: [], blocks: [], images: [], warnings: [] }
  const { pages: frames = 1 } = await decoded(() => sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata())
  if (frames > MAX_FRAMES)
    throw new ConversionError('too_large', `the picture has ${frames} frames; at most ${MAX_FRAMES} are read`)
  const numbers = Array.from({ length: frames }, (_, frame) => frame + 1)
  const doubts = new Map<number, PageDoubt>()
  const read = async (number: number): Promise<{ page: Page; blocks: Block[]; isDoubtful: boolean }> => {
    const raster = await readFrame(bytes, number - 1)
    if (recognizer !== null) return recognizer.page(raster, number, tables)
    const { widthPt, heightPt } = raster
    const box = { left: 0, top: 0, right: widthPt, bottom: heightPt }
    const figure: Block = { kind: 'figure', caption: null, image: null, place: { page: number, box } }
    return { page: { number, widthPt, heightPt }, blocks: [figure], isDoubtful: false }
  }
  for await (const { page, blocks, isDoubtful } of inOrder(numbers, PAGES_AT_ONCE, read)) {
    document.pages.push(page)
    document.blocks.push(...blocks)
    if (recognizer === null) doubts.set(page.number, 'unread')
    else if (isDoubtful) doubts.set(page.number, 'doubtful')
  }
  document.warnings.push(...pageWarnings(doubts))
  return document
}

/** Light print on a transparent ground would vanish on white: nearly all that is drawn is light, and much is not drawn. */
async function isLightOnNothing(image: ReturnType<typeof sharp>): Promise<boolean> {
  const sample = image.resize({ width: 1000, height: 1000, fit: 'inside', withoutEnlargement: true })
  const { data, info } = await sample.greyscale().ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  let [drawn, light] = [0, 0]
  for (let at = 0; at < data.length; at += info.channels)
    if (data[at + info.channels - 1]! > 127) {
      drawn += 1
      if (data[at]! > 160) light += 1
    }
  return drawn > 0 && drawn < (info.width * info.height) / 2 && light > drawn * 0.98
}

/**
 * One frame in grey on white, upright according to its EXIF data, at the resolution of recognition. Its width on paper is `knownWidthPt`, else what the
 * stated resolution gives where that is a page's, else that of a letter.
 */
export async function readFrame(bytes: Uint8Array, frame: number, knownWidthPt?: number): Promise<Raster> {
  const image = (): ReturnType<typeof sharp> =>
    sharp(bytes, { page: frame, limitInputPixels: MAX_PIXELS, failOn: 'error' })
  return decoded(async () => {
    const { width, height, density, orientation = 1, hasAlpha } = await image().metadata()
    const [across, down] = orientation >= 5 ? [height, width] : [width, height]
    const stated =
      knownWidthPt !== undefined
        ? (across * 72) / knownWidthPt
        : density !== undefined && density > 72 && across / density <= WIDEST_IN
          ? density
          : across / LETTER_WIDTH_IN
    const scale = OCR_DPI / stated
    const target = { width: Math.max(1, Math.round(across * scale)), height: Math.max(1, Math.round(down * scale)) }
    const fits = target.width * target.height <= MAX_PIXELS && scale <= 6
    const background = hasAlpha && (await isLightOnNothing(image())) ? '#000000' : '#ffffff'
    const pipeline = image().autoOrient().flatten({ background }).greyscale().toColourspace('b-w')
    const { data, info } = await (
      fits && Math.abs(scale - 1) > 0.05 ? pipeline.resize({ ...target, fit: 'fill' }) : pipeline
    )
      .raw()
      .toBuffer({ resolveWithObject: true })
    const inchesAcross = fits ? across / stated : info.width / OCR_DPI
    const widthPt = Math.round(inchesAcross * 72 * 100) / 100
    return {
      pixels: data,
      width: info.width,
      height: info.height,
      widthPt,
      heightPt: Math.round(((widthPt * info.height) / info.width) * 100) / 100,
    }
  })
}

async function decoded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (/pixel limit/i.test(String(error)))
      throw new ConversionError('too_large', `the picture has more than ${MAX_PIXELS} pixels`)
    throw new ConversionError('damaged', 'the picture cannot be decoded', { cause: error })
  }
}
