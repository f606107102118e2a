import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflateSync, gunzip } from 'node:zlib'
import { LiteParse, type ParsedPage } from '@llamaindex/liteparse'
import { OCR_DPI, type TextReader } from './recognize.ts'
import type { Raster } from './raster.ts'

/** Tesseract with English data, which is part of the installation. It is unpacked into `cacheDir`. */
export async function openTesseract(cacheDir: string): Promise<TextReader> {
  const reader = new LiteParse({
    ocrEnabled: true,
    tessdataPath: await tessdataFolder(cacheDir),
    dpi: OCR_DPI,
    quiet: true,
    numWorkers: 1,
    emitWordBoxes: false,
  })
  return {
    async words(raster) {
      const { pages } = await reader.parse(imagePdf(raster))
      return pages.flatMap(({ textItems }: ParsedPage) =>
        textItems.map(({ text, x, y, width, height, confidence }) => ({
          text,
          x,
          y,
          width,
          height,
          confidence: confidence ?? 1,
        })),
      )
    },
  }
}

/** A PDF of one page that shows the picture and nothing else: the form in which text recognition takes it. */
function imagePdf({ pixels, width, height, widthPt, heightPt }: Raster): Buffer {
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

const VARIANT = '4.0.0_best_int'

/** Folder with the English recognition data, unpacked once from the installed package into `cacheDir`. */
async function tessdataFolder(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, `tessdata-${VARIANT}`)
  const file = join(folder, 'eng.traineddata')
  if (existsSync(file)) return folder
  const packed = join(
    dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')),
    VARIANT,
    'eng.traineddata.gz',
  )
  await mkdir(folder, { recursive: true })
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, await promisify(gunzip)(await readFile(packed)))
  await rename(temporary, file)
  return folder
}
