import { availableParallelism } from 'node:os'
import { LiteParse } from '@llamaindex/liteparse'
import sharp from 'sharp'
import type { Block, Page } from '../model/document.ts'
import { modelBlocks } from '../pdf/layout-blocks.ts'
import type { TableReader } from '../tables/table-reader.ts'
import { rulingLines } from './ruling-lines.ts'
import { textRuns, type Word } from './text-lines.ts'
import type { Raster } from './raster.ts'

/** Pixels per inch at which pages are recognized: below, small print is lost; above, only time. */
export const OCR_DPI = 200

/** Recognition keeps one core busy per page, and some 100 MB of memory. */
export const PAGES_AT_ONCE = Math.max(1, Math.min(4, availableParallelism()))

/** A page may lie on its side when more than this share of its words is doubtful. */
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

/** An engine that reads printed text. */
export interface TextReader {
  /** The words of a picture, in points; those of a line need no order. */
  words(raster: Raster): Promise<Word[]>
  /** Letters that it reads beside the Latin ones: a page full of them is not doubtful. */
  otherScripts?: RegExp
}

/** Recognizes printed text with an engine and gives its layout. */
export function createRecognizer(reader: TextReader): Recognizer {
  const layout = new LiteParse({ ocrEnabled: false, quiet: true, extractBlocks: true, keepHeadersFooters: true })

  return {
    async page(given, number, tables) {
      let raster = given
      let found = await reader.words(raster)
      if (sureness(found) < DOUBTFUL || standsUpright(found) < 0.5)
        for (const turn of [90, 270, 180] as const) {
          const turned = await rotate(given, turn)
          const other = await reader.words(turned)
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
        isDoubtful: isDoubtful(found, reader.otherScripts),
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

function isDoubtful(found: readonly Word[], otherScripts?: RegExp): boolean {
  if (sureness(found) < LEAST_SURE) return true
  const all = found.map(({ text }) => text).join('')
  const others = otherScripts === undefined ? 0 : Array.from(all).filter((letter) => otherScripts.test(letter)).length
  if (others > all.length / 2) return false
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
