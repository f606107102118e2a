import sharp from 'sharp'

const MOST_BYTES = 200_000

/** A picture with as few colours as it bears. */
export async function smallPng(bytes: Buffer): Promise<Buffer> {
  for (const colours of [256, 128, 64, 32]) {
    const small = await sharp(bytes).png({ palette: true, colours, dither: 0, effort: 9 }).toBuffer()
    if (small.length < MOST_BYTES) return small
  }
  throw new Error(`a picture stays above ${MOST_BYTES} bytes`)
}
