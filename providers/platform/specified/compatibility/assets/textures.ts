import type { Document, Texture } from '@gltf-transform/core'
import sharp from 'sharp'
import { AssetError } from './asset-error.ts'

/** Pixels of a texture before it is decoded; a small file may claim a huge picture. */
const MAX_PIXELS = 8192 * 8192
const FORMATS = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const
type Format = keyof typeof FORMATS
const JPEG_QUALITY = 90

/** Reduces every texture whose longer side exceeds `limit`, in its own format. Returns the longest side of all; 0 without textures. */
export async function limitTextures(document: Document, limit: number): Promise<number> {
  let longest = 0
  for (const [index, texture] of document.getRoot().listTextures().entries()) {
    const { format, width, height } = await header(texture, index)
    // Its declared type is what viewers go by.
    texture.setMimeType(FORMATS[format])
    const side = Math.max(width, height)
    if (side > limit) {
      const image = sharp(texture.getImage()!, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      const reduced = image.resize({ width: limit, height: limit, fit: 'inside' })
      const encoded = format === 'jpeg' ? reduced.jpeg({ quality: JPEG_QUALITY }) : reduced.toFormat(format)
      texture.setImage(new Uint8Array(await orDamaged(index, () => encoded.toBuffer())))
    }
    longest = Math.max(longest, Math.min(side, limit))
  }
  return longest
}

/** Red, green and blue, a byte each. */
export interface Pixels {
  data: Uint8Array
  width: number
  height: number
}

/** The colours of a texture without its transparency. */
export async function pixelsOf(texture: Texture, index: number): Promise<Pixels> {
  const image = sharp(texture.getImage()!, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
  const raw = image.toColourspace('srgb').removeAlpha().raw({ depth: 'uchar' })
  const { data, info } = await orDamaged(index, () => raw.toBuffer({ resolveWithObject: true }))
  return { data, width: info.width, height: info.height }
}

async function header(texture: Texture, index: number): Promise<{ format: Format; width: number; height: number }> {
  const bytes = texture.getImage()
  if (bytes === null) throw new AssetError(`Texture ${index} has no picture`)
  const read = sharp(bytes, { limitInputPixels: false })
  const { format, width, height } = await orDamaged(index, () => read.metadata())
  if (!(format in FORMATS))
    throw new AssetError(`Texture ${index} is a picture of the format ${format}: expected PNG, JPEG or WebP`)
  if (width * height > MAX_PIXELS)
    throw new AssetError(`Texture ${index} has ${width} × ${height} pixels: at most ${MAX_PIXELS} are accepted`)
  return { format: format as Format, width, height }
}

async function orDamaged<Result>(index: number, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch {
    throw new AssetError(`Texture ${index} is not a picture, or it is damaged`)
  }
}
