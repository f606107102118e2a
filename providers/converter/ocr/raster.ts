/** Mean and deviation of the pictures that networks are trained on (ImageNet), per colour. */
const MEAN = [0.485, 0.456, 0.406]
const DEVIATION = [0.229, 0.224, 0.225]

/** Grey pixels as such a network takes them: three planes of numbers, row by row. */
export function networkPlanes(grey: Uint8Array): Float32Array<ArrayBuffer> {
  const planes = new Float32Array(3 * grey.length)
  MEAN.forEach((mean, colour) => {
    for (let at = 0; at < grey.length; at += 1)
      planes[colour * grey.length + at] = (grey[at]! / 255 - mean) / DEVIATION[colour]!
  })
  return planes
}

/** A grey picture, one byte per pixel, and the size it has on paper. */
export interface Raster {
  pixels: Uint8Array
  width: number
  height: number
  widthPt: number
  heightPt: number
}
