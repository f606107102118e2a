import { detectFormat, encrypted } from '../formats/detect.ts'
import { ConversionError } from '../model/conversion-error.ts'

/** Enough to read on a screen. */
const SCREEN_DPI = 110
const MAX_PIXELS = 120_000_000
const WIDEST = 1400

/** A page of a PDF, a frame of a picture, as PNG. Throws `unsupported` for formats that have no pages to draw. */
export async function drawPage(bytes: Uint8Array, filename: string, page: number): Promise<Uint8Array> {
  const format = detectFormat(bytes, filename)
  if (format === 'pdf') {
    const { LiteParse } = await import('@llamaindex/liteparse')
    const parser = new LiteParse({ ocrEnabled: false, quiet: true, dpi: SCREEN_DPI })
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const [picture] = await parser.screenshot(source, [page]).catch((error: unknown) => {
      if (/password|encrypt/i.test(String(error))) throw encrypted()
      throw new ConversionError('damaged', `page ${page} cannot be drawn`, { cause: error })
    })
    if (picture === undefined) throw new ConversionError('damaged', `there is no page ${page}`)
    return picture.imageBuffer
  }
  if (format !== 'png' && format !== 'jpg' && format !== 'tiff')
    throw new ConversionError('unsupported', `${format.toUpperCase()} files have no pages of their own to draw`)
  const { default: sharp } = await import('sharp')
  try {
    const image = sharp(bytes, { page: page - 1, limitInputPixels: MAX_PIXELS }).autoOrient()
    return await image.resize({ width: WIDEST, withoutEnlargement: true }).png().toBuffer()
  } catch (error) {
    throw new ConversionError('damaged', `page ${page} cannot be drawn`, { cause: error })
  }
}
