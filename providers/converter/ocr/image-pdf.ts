import { deflateSync } from 'node:zlib'

/** A grey picture, one byte per pixel, and the size it has on paper. */
export interface Raster {
  pixels: Uint8Array
  width: number
  height: number
  widthPt: number
  heightPt: number
}

/** A PDF of one page that shows the picture and nothing else: the form in which text recognition takes it. */
export function imagePdf({ pixels, width, height, widthPt, heightPt }: Raster): Buffer {
  const content = Buffer.from(`q ${widthPt} 0 0 ${heightPt} 0 0 cm /I Do Q`)
  const packed = deflateSync(pixels, { level: 1 })
  const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${widthPt} ${heightPt}] /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R`
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(`<< ${page} >>`),
    stream('', content),
    stream(image, packed),
  ]
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let size = parts[0]!.length
  objects.forEach((object, index) => {
    offsets.push(size)
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    parts.push(part)
    size += part.length
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`
  parts.push(Buffer.from(`${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${size}\n%%EOF\n`))
  return Buffer.concat(parts)
}

const stream = (dictionary: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
