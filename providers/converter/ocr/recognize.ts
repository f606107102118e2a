import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflateSync, gunzip } from 'node:zlib'
import { LiteParse } from '@llamaindex/liteparse'
import type { ParsedPage } from '@llamaindex/liteparse'
import sharp from 'sharp'
import type { Block, Page } from '../model/document.ts'
import { modelBlocks } from '../pdf/layout-blocks.ts'
import type { TableReader } from '../tables/table-reader.ts'
import { rulingLines } from './ruling-lines.ts'
import { textRuns } from './text-lines.ts'
import type { Word } from './text-lines.ts'

/** Pixels per inch at which pages are recognized: below, small print is lost; above, only time. */
export const OCR_DPI = 200

/** Recognition keeps one core busy per page, and some 100 MB of memory. */
export const PAGES_AT_ONCE = Math.max(1, Math.min(4, availableParallelism()))

/** Where more than this share of a page's words is doubtful, the page may lie on its side. */
const DOUBTFUL = 0.75

export interface Recognizer {
  /** Blocks of a picture of a page, and the page as it is upright. `tables` reads its tables again. */
  page(raster: Raster, number: number, tables: TableReader | null): Promise<RecognizedPage>
}

export interface RecognizedPage {
  page: Page
  blocks: Block[]
  /** The words may be wrong: the recognition is unsure of them, or they are not English. */
  isDoubtful: boolean
}

/** Recognizes printed text (English data) and gives its layout. */
export function createRecognizer(tessdataPath: string): Recognizer {
  const reader = new LiteParse({
    ocrEnabled: true,
    tessdataPath,
    dpi: OCR_DPI,
    quiet: true,
    numWorkers: 1,
    emitWordBoxes: false,
  })
  const layout = new LiteParse({ ocrEnabled: false, quiet: true, extractBlocks: true, keepHeadersFooters: true })

  const words = async (raster: Raster): Promise<Word[]> => {
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
  }
  return {
    async page(given, number, tables) {
      let raster = given
      let found = await words(raster)
      if (sureness(found) < DOUBTFUL || standsUpright(found) < 0.5)
        for (const turn of [90, 270, 180] as const) {
          const turned = await rotate(given, turn)
          const other = await words(turned)
          if (score(other) <= score(found) * 1.1) continue
          raster = turned
          found = other
          if (sureness(found) >= DOUBTFUL && standsUpright(found) > 0.9) break
        }
      const { widthPt, heightPt } = raster
      const [laidOut] = layout.parsePages([
        {
          pageNumber: 1,
          pageWidth: widthPt,
          pageHeight: heightPt,
          textItems: textRuns(found),
          graphics: rulingLines(raster),
        },
      ]).pages
      const blocks = modelBlocks(laidOut?.blocks ?? [], number)
      return {
        page: { number, widthPt, heightPt },
        blocks: tables === null ? blocks : await tables.read(blocks, raster, found),
        isDoubtful: isDoubtful(found),
      }
    },
  }
}

const letters = ({ text }: Word): number => text.replaceAll(/[^\p{L}\p{N}]/gu, '').length

/** Mean confidence, weighed by letters; 1 for a page without any. */
function sureness(words: readonly Word[]): number {
  const total = words.reduce((sum, word) => sum + letters(word), 0)
  return total === 0 ? 1 : words.reduce((sum, word) => sum + word.confidence * letters(word), 0) / total
}

/** English print at 150 dpi is read with a mean confidence of .92 and more, other scripts with .59 to .77. */
const LEAST_SURE = 0.85
/** Fewer words do not identify a language. */
const LEAST_WORDS = 40
/** In English prose every third word is one of these, in other languages hardly any. */
const ENGLISH =
  /^(?:the|of|and|to|in|is|that|for|it|as|with|was|on|are|by|this|be|or|from|at|an|which|not|have|has|you|your|can|will|if)$/
const LEAST_ENGLISH = 0.05

function isDoubtful(found: readonly Word[]): boolean {
  if (sureness(found) < LEAST_SURE) return true
  const words = found.flatMap(({ text }) => text.toLowerCase().match(/\p{L}{2,}/gu) ?? [])
  return words.length >= LEAST_WORDS && words.filter((word) => ENGLISH.test(word)).length < words.length * LEAST_ENGLISH
}

/** Letters that were read with confidence in words that run from left to right. */
const score = (words: readonly Word[]): number =>
  words
    .filter((word) => word.confidence > 0.6 && letters(word) > 1 && !isSideways(word))
    .reduce((sum, word) => sum + letters(word) * word.confidence, 0)

/** The engine reads words that run up or down the page as well: they are taller than wide. */
const isSideways = (word: Word): boolean => letters(word) > 3 && word.height > word.width

/** Share of the longer words that run from left to right; 1 for a page without any. */
function standsUpright(words: readonly Word[]): number {
  const long = words.filter((word) => letters(word) > 3)
  return long.length === 0 ? 1 : long.filter((word) => !isSideways(word)).length / long.length
}

async function rotate(raster: Raster, degrees: 90 | 180 | 270): Promise<Raster> {
  const { data, info } = await sharp(raster.pixels, {
    raw: { width: raster.width, height: raster.height, channels: 1 },
  })
    .rotate(degrees)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const [widthPt, heightPt] = degrees === 180 ? [raster.widthPt, raster.heightPt] : [raster.heightPt, raster.widthPt]
  return { pixels: data, width: info.width, height: info.height, widthPt, heightPt }
}

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

const VARIANT = '4.0.0_best_int'

/** Folder with the English recognition data, unpacked once from the installed package into `cacheDir`. */
export async function tessdataFolder(cacheDir: string): Promise<string> {
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
