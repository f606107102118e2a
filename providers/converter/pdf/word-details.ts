import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { mapTexts, type Block } from '../model/document.ts'
import { lowered, raised, writtenScripts } from '../model/scripts.ts'
import type { Raster } from '../ocr/raster.ts'
import type { WordBox } from '../tables/table-reader.ts'

/**
 * The layout engine joins what is raised or lowered with the word before it, and letters that are set apart stay apart. Where a line is higher than its
 * font, the boxes of its words and the picture of the page show which digits are raised; the gaps between letters show where words end.
 */

/** Lines that may have raised or lowered digits: higher than others of the same font and size, with neighbouring digits. */
export function unevenLines({ textItems }: ParsedPage): TextItem[] {
  const usual = new Map<string, number>()
  const ratioOf = ({ height, fontSize = 0 }: TextItem): number => (fontSize > 0 ? height / fontSize : 0)
  for (const item of textItems) {
    const ratio = ratioOf(item)
    if (ratio > 0) usual.set(item.fontName ?? '', Math.min(usual.get(item.fontName ?? '') ?? LARGEST_RATIO, ratio))
  }
  return textItems.filter(
    (item) =>
      /\d[-−–]?\d/.test(item.text) &&
      (item.rotation ?? 0) === 0 &&
      ratioOf(item) > (usual.get(item.fontName ?? '') ?? LARGEST_RATIO) * 1.004,
  )
}

/** Fonts whose every line is uneven are measured against this. */
const LARGEST_RATIO = 1.2

const SPACED = /^(?:\S\s){3,}\S$/u
export const isLetterSpaced = (block: Block): boolean =>
  (block.kind === 'heading' || block.kind === 'paragraph') &&
  SPACED.test(block.text) &&
  /\p{L}\s\p{L}\s\p{L}/u.test(block.text)

/** A block whose letters are set apart, with its letters joined to words: gaps that are wider than most part two words. */
export function withJoinedLetters(block: Block, words: readonly WordBox[]): Block {
  if (!isLetterSpaced(block)) return block
  const letters = wordsOf(block, words)
  const gaps = letters.slice(1).map((letter, at) => letter.x - letters[at]!.x - letters[at]!.width)
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  const text = letters
    .map((letter, at) => (at > 0 && gaps[at - 1]! > usual * 1.5 ? ` ${letter.text}` : letter.text))
    .join('')
  const bare = (each: string): string => each.replaceAll(/\s/g, '')
  return bare(text) === bare('text' in block ? block.text : '') ? mapTexts(block, () => text) : block
}

const wordsOf = ({ place }: Block, words: readonly WordBox[]): WordBox[] => {
  const box = place?.box
  if (box === null || box === undefined) return []
  return words.filter(({ x, y, width, height }) => {
    const [across, down] = [x + width / 2, y + height / 2]
    return across >= box.left - 1 && across <= box.right + 1 && down >= box.top - 1 && down <= box.bottom + 1
  })
}

/** A block with the raised and lowered digits of its words written out. */
export function withRaisedDigits(
  block: Block,
  words: readonly WordBox[],
  lines: readonly TextItem[],
  raster: Raster,
): Block {
  const own = wordsOf(block, words)
  return own.reduce((changed, word, at) => {
    if (!/\d[-−–]?\d/.test(word.text) || !lines.some((line) => isWithin(word, line))) return changed
    const shown = markedDigits(word, raster)
    if (shown === null) return changed
    const former = own[at - 1]?.text ?? ''
    let isDone = false
    return mapTexts(changed, (text) => {
      if (isDone) return text
      const from = positionOf(text, word.text, former)
      isDone = from >= 0
      const next = text.charAt(from + word.text.length)
      return isDone
        ? text.slice(0, from) + writtenScripts(shown + next) + text.slice(from + word.text.length + next.length)
        : text
    })
  }, block)
}

const isWithin = (word: WordBox, line: TextItem): boolean =>
  word.x + word.width / 2 > line.x &&
  word.x < line.x + line.width &&
  Math.abs(word.y + word.height / 2 - line.y - line.height / 2) < line.height / 2

function positionOf(text: string, word: string, former: string): number {
  const after = text.indexOf(`${former} ${word}`)
  if (former !== '' && after >= 0) return after + former.length + 1
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1) + text.charAt(at + word.length))) return at
  return -1
}

const INK = 140
/** A raised digit ends this far above the line, and a lowered one this far below it, in heights of a full digit. */
const RAISED_BY = 0.18
const LOWERED_BY = 0.08

/** The word with its raised and lowered parts marked; null where it has none, or where its characters cannot be told apart in the picture. */
function markedDigits({ text, x, y, width, height }: WordBox, raster: Raster): string | null {
  const scale = raster.width / raster.widthPt
  const at = (value: number, most: number): number => Math.max(0, Math.min(most - 1, Math.round(value * scale)))
  const [left, right] = [at(x - 0.3, raster.width), at(x + width + 0.3, raster.width)]
  const [top, bottom] = [at(y, raster.height), at(y + height, raster.height)]
  const glyphs: { top: number; bottom: number }[] = []
  let isOpen = false
  for (let column = left; column <= right; column += 1) {
    const ink: number[] = []
    for (let row = top; row <= bottom; row += 1) if (raster.pixels[row * raster.width + column]! < INK) ink.push(row)
    const span = ink.length === 0 ? null : { top: ink[0]!, bottom: ink.at(-1)! }
    if (span !== null && !isOpen) glyphs.push(span)
    else if (span !== null) {
      const open = glyphs.at(-1)!
      glyphs[glyphs.length - 1] = { top: Math.min(open.top, span.top), bottom: Math.max(open.bottom, span.bottom) }
    }
    isOpen = span !== null
  }
  const characters = Array.from(text)
  if (glyphs.length !== characters.length) return null
  const digits = glyphs.filter((_, index) => /\p{N}/u.test(characters[index]!))
  const full = digits.reduce((tallest, each) =>
    each.bottom - each.top > tallest.bottom - tallest.top ? each : tallest,
  )
  const tall = full.bottom - full.top
  const shifts = glyphs.map((glyph, index) => {
    if (!/\p{N}/u.test(characters[index]!)) return null
    return full.bottom - glyph.bottom > tall * RAISED_BY
      ? raised
      : glyph.bottom - full.bottom > tall * LOWERED_BY && glyph.top - full.top > tall * RAISED_BY
        ? lowered
        : null
  })
  if (shifts.every((shift) => shift === null)) return null
  // A sign belongs to the digit after it.
  return characters
    .map(
      (character, index) =>
        (shifts[index] ?? (/[-−–+]/.test(character) ? shifts[index + 1] : null))?.(character) ?? character,
    )
    .join('')
}
