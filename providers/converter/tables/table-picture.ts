import sharp from 'sharp'
import type { Box } from '../model/document.ts'
import type { Raster } from '../ocr/image-pdf.ts'
import type { TableModel } from './table-model.ts'

/** A part of a page as the model takes it: three planes of numbers, row by row. */
export interface TablePicture {
  pixels: Float32Array
  width: number
  height: number
}

/** Mean and deviation of the pictures that such networks are trained on (ImageNet), per colour. */
const MEAN = [0.485, 0.456, 0.406]
const DEVIATION = [0.229, 0.224, 0.225]

/** Cuts a part (in points) out of a page and scales it as the model wants it. */
export async function tablePicture(raster: Raster, part: Box, size: TableModel['size']): Promise<TablePicture> {
  const scale = raster.width / raster.widthPt
  const left = Math.max(0, Math.floor(part.left * scale))
  const top = Math.max(0, Math.floor(part.top * scale))
  const cut = {
    left,
    top,
    width: Math.max(1, Math.min(raster.width, Math.ceil(part.right * scale)) - left),
    height: Math.max(1, Math.min(raster.height, Math.ceil(part.bottom * scale)) - top),
  }
  const target = scaled(cut, size)
  const { data, info } = await sharp(raster.pixels, {
    raw: { width: raster.width, height: raster.height, channels: 1 },
  })
    .extract(cut)
    .resize({ ...target, fit: 'fill', kernel: 'linear' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const places = info.width * info.height
  const pixels = new Float32Array(places * 3)
  MEAN.forEach((mean, colour) => {
    const deviation = DEVIATION[colour]!
    for (let at = 0; at < places; at += 1) pixels[colour * places + at] = (data[at]! / 255 - mean) / deviation
  })
  return { pixels, width: info.width, height: info.height }
}

function scaled({ width, height }: { width: number; height: number }, { shortest, longest }: TableModel['size']) {
  const most = longest / Math.max(width, height)
  const factor = shortest === null ? most : Math.min(most, shortest / Math.min(width, height))
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}
