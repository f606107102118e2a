/** A grey picture, one byte per pixel, and the size it has on paper. */
export interface Raster {
  pixels: Uint8Array
  width: number
  height: number
  widthPt: number
  heightPt: number
}
