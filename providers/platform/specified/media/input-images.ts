import { HttpError } from '../../../kit/http-error.ts'
import type { MediaSettings } from './media-settings.ts'

const DATA_URL = /^data:([^,]*),/i
const MAX_DEPTH = 8

/**
 * Checks the images that a request carries as `data:` addresses, at any depth: base64, an image type, decoded size and number of pixels, which
 * its header names; nothing is decoded to pixels. Throws 400, and 413 for too many bytes or pixels.
 */
export async function checkInputImages(
  input: unknown,
  { inputMaxBytes, inputMaxPixels }: Pick<MediaSettings, 'inputMaxBytes' | 'inputMaxPixels'>,
): Promise<void> {
  for (const [path, url] of dataUrls(input, 'input', 0)) {
    const type = DATA_URL.exec(url)?.[1] ?? ''
    if (!/^image\/[\w.+-]+(?:;[^;,]*)*;base64$/i.test(type))
      throw new HttpError(400, `Invalid image at ${path}: expected data:image/…;base64,…`)
    const text = url.slice(url.indexOf(',') + 1)
    // Counted before it is decoded.
    if (Math.floor((text.length * 3) / 4) - 2 > inputMaxBytes) throw tooManyBytes(path, inputMaxBytes)
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new HttpError(400, `Invalid image at ${path}: it is not base64`)
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length > inputMaxBytes) throw tooManyBytes(path, inputMaxBytes)
    const size = await imageSize(bytes)
    if (size === null) throw new HttpError(400, `Invalid image at ${path}: its format is unknown or it is damaged`)
    if (size.width * size.height > inputMaxPixels)
      throw new HttpError(
        413,
        `The image at ${path} has ${size.width} × ${size.height} pixels: at most ${inputMaxPixels} are accepted (MEDIA_INPUT_MAX_PIXELS)`,
      )
  }
}

/** Format, width and height of an image by its header; null for what is none. */
export async function imageSize(bytes: Buffer): Promise<{ format: string; width: number; height: number } | null> {
  const { default: sharp } = await import('sharp')
  try {
    const { format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
    return { format, width, height }
  } catch {
    return null
  }
}

const tooManyBytes = (path: string, limit: number): HttpError =>
  new HttpError(413, `The image at ${path} exceeds ${limit} bytes (MEDIA_INPUT_MAX_BYTES)`)

function* dataUrls(value: unknown, path: string, depth: number): Generator<readonly [string, string]> {
  if (typeof value === 'string') {
    if (/^\s*data:/i.test(value)) yield [path, value.trim()]
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH)
    throw new HttpError(400, `Invalid input at ${path}: it is nested more than ${MAX_DEPTH} times`)
  for (const [key, each] of Object.entries(value)) yield* dataUrls(each, `${path}.${key}`, depth + 1)
}
