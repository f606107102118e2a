import { LiteParse } from '@llamaindex/liteparse'
import type { Graphic, LayoutBlock, ParsedPage, TextItem, WordBox } from '@llamaindex/liteparse'
import type { Block } from '../model/document.ts'
import { boxOf, modelBlocks } from './layout-blocks.ts'

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}]/u
const isRightToLeft = (character: string): boolean => RIGHT_TO_LEFT.test(character)
const LETTER = /\p{L}/u

/** Returns true when a text has letters that run from right to left. */
export const hasRightToLeft = (text: string): boolean => /\p{L}/u.test(text) && isRightToLeft(text)

/**
 * Blocks of a page with right-to-left text. The engine reads every line from the left, which reverses the words of such a line and the columns of
 * such a page. So its words are put into logical order line by line, and a page that is mostly right-to-left is laid out as its mirror image, in
 * which everything runs from the left. `page` needs word boxes and vector graphics.
 */
export function rightToLeftBlocks(page: ParsedPage): Block[] {
  const isMirrored = runsRightToLeft(page.textItems.map(({ text }) => text).join(' '))
  const flip = ({ x, width }: { x: number; width: number }): number => (isMirrored ? page.width - x - width : x)
  const textItems = segmentsOf(page.textItems).map((segment) => logicalItem(segment, isMirrored))
  const layout = new LiteParse({ ocrEnabled: false, quiet: true, extractBlocks: true, keepHeadersFooters: true })
  const [laidOut] = layout.parsePages([
    {
      pageNumber: 1,
      pageWidth: page.width,
      pageHeight: page.height,
      textItems: textItems.map((item) => ({ ...item, x: flip(item) })),
      graphics: graphicsOf(page).map((graphic) => (isMirrored ? mirrored(graphic, page.width) : graphic)),
    },
  ]).pages
  const blocks = modelBlocks(laidOut?.blocks ?? [], page.pageNum).map((block): Block => {
    const box = block.place?.box ?? null
    if (!isMirrored || box === null) return block
    const place = {
      page: page.pageNum,
      box: boxOf({ x: page.width - box.right, y: box.top, width: box.right - box.left, height: box.bottom - box.top }),
    }
    return { ...block, place }
  })
  return withFigures(
    blocks,
    (page.blocks ?? []).filter(({ kind }) => kind === 'figure'),
    page.pageNum,
  )
}

/** The engine finds pictures only when it reads the file itself. */
function withFigures(blocks: Block[], figures: LayoutBlock[], page: number): Block[] {
  const all = [...blocks]
  for (const figure of modelBlocks(figures, page)) {
    const top = figure.place?.box?.top ?? 0
    const at = all.findIndex(({ place }) => (place?.box?.top ?? 0) > top)
    all.splice(at < 0 ? all.length : at, 0, figure)
  }
  return all
}

function graphicsOf({ vectorGraphics }: ParsedPage): Graphic[] {
  return (vectorGraphics?.lines ?? []).map(({ x1, y1, x2, y2 }) => ({
    kind: 'stroke',
    x1,
    y1,
    x2,
    y2,
    hasStroke: true,
  }))
}

function mirrored(graphic: Graphic, width: number): Graphic {
  const { x1 = 0, x2 = 0 } = graphic
  return { ...graphic, x1: width - x2, x2: width - x1 }
}

/** A word with its position, and the item whose font it has. */
interface PlacedWord extends WordBox {
  item: TextItem
}

/** Gaps from here on, in the unit of a line's height, part columns and cells; below the lesser there is no space. */
const WIDE_GAP = 1.5
const NO_GAP = 0.12

/** Words of one line that are close together, from left to right. */
function segmentsOf(items: readonly TextItem[]): PlacedWord[][] {
  const words = items.flatMap((item): PlacedWord[] =>
    (item.words === undefined || item.words.length === 0 ? [item] : item.words)
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, x, y, width, height }) => ({ text, x, y, width, height, item })),
  )
  const middle = ({ y, height }: PlacedWord): number => y + height / 2
  const lines: PlacedWord[][] = []
  for (const word of words.sort((a, b) => middle(a) - middle(b))) {
    const line = lines.at(-1)
    const isSame = line !== undefined && middle(word) - middle(line[0]!) < Math.min(word.height, line[0]!.height) / 2
    if (isSame) line.push(word)
    else lines.push([word])
  }
  return lines.flatMap((line) => {
    const segments: PlacedWord[][] = []
    for (const word of line.sort((a, b) => a.x - b.x)) {
      const segment = segments.at(-1)
      const former = segment?.at(-1)
      if (former !== undefined && word.x - former.x - former.width < former.height * WIDE_GAP) segment!.push(word)
      else segments.push([word])
    }
    return segments
  })
}

function logicalItem(segment: readonly PlacedWord[], isPageRightToLeft: boolean): TextItem {
  const text = segment.map((word) => word.text).join(' ')
  const first = segment[0]!
  const right = Math.max(...segment.map(({ x, width }) => x + width))
  const top = Math.min(...segment.map(({ y }) => y))
  const bottom = Math.max(...segment.map(({ y, height }) => y + height))
  return {
    ...first.item,
    text: shapedForReading(hasRightToLeft(text) ? logicalOrder(glued(segment), isPageRightToLeft) : joined(segment)),
    x: first.x,
    y: top,
    width: right - first.x,
    height: bottom - top,
    words: [],
  }
}

const joined = (segment: readonly PlacedWord[]): string =>
  segment.map((word, index) => `${index > 0 && !touches(segment[index - 1]!, word) ? ' ' : ''}${word.text}`).join('')

const touches = (former: WordBox, next: WordBox): boolean => next.x - former.x - former.width < former.height * NO_GAP

/** Returns true when most letters of a text run from right to left. */
function runsRightToLeft(text: string): boolean {
  let balance = 0
  for (const character of text) if (LETTER.test(character)) balance += isRightToLeft(character) ? 1 : -1
  return balance > 0
}

type Direction = 'left' | 'right' | 'neutral'

interface Piece {
  text: string
  direction: Direction
}

const directionOf = (text: string): Direction =>
  hasRightToLeft(text) ? 'right' : LETTER.test(text) ? 'left' : 'neutral'

/** Words that touch are one: a number or a comma right beside a right-to-left word follows or leads it in its direction. */
function glued(segment: readonly PlacedWord[]): Piece[] {
  const pieces: Piece[] = []
  segment.forEach((word, index) => {
    const direction = directionOf(word.text)
    const former = pieces.at(-1)
    const isOne =
      former !== undefined &&
      touches(segment[index - 1]!, word) &&
      !(former.direction === 'left' && direction === 'right') &&
      !(former.direction === 'right' && direction === 'left')
    if (!isOne) {
      pieces.push({ text: word.text, direction })
      return
    }
    const isRight = former.direction === 'right' || direction === 'right'
    former.text = isRight ? word.text + former.text : former.text + word.text
    if (former.direction === 'neutral') former.direction = direction
  })
  return pieces
}

/** A line begins where its paragraph does: with a word of the other direction at both ends it is not of this one. Else most of its letters decide. */
function lineDirection(pieces: readonly Piece[], isPageRightToLeft: boolean): 'left' | 'right' {
  const strong = pieces.filter(({ direction }) => direction !== 'neutral')
  const [first, last] = [strong[0]?.direction, strong.at(-1)?.direction]
  if (first !== undefined && first === last) return first === 'left' ? 'left' : 'right'
  const isRight = isPageRightToLeft || runsRightToLeft(pieces.map(({ text }) => text).join(' '))
  return isRight ? 'right' : 'left'
}

/**
 * Pieces of a line, given from left to right, in reading order: the reordering of the Unicode bidirectional algorithm
 * undone for two levels. Numbers after a left-to-right word belong to it.
 */
function logicalOrder(pieces: readonly Piece[], isPageRightToLeft: boolean): string {
  const base = lineDirection(pieces, isPageRightToLeft)
  const directions = pieces.map(({ direction }) => direction)
  directions.forEach((direction, index) => {
    if (direction !== 'neutral') return
    const former = directions[index - 1] ?? base
    const next = directions.slice(index + 1).find((each) => each !== 'neutral') ?? base
    const isNumber = /\p{N}/u.test(pieces[index]!.text)
    directions[index] = former === next || (former === 'left' && isNumber) ? former : base
  })
  const runs: { direction: Direction; texts: string[] }[] = []
  pieces.forEach(({ text }, index) => {
    const direction = directions[index]!
    const run = runs.at(-1)
    if (run?.direction === direction) run.texts.push(text)
    else runs.push({ direction, texts: [text] })
  })
  const inOrder = base === 'right' ? runs.reverse() : runs
  return inOrder
    .flatMap(({ direction, texts }) => (direction === 'right' ? texts.reverse().map(withEndMark) : texts))
    .join(' ')
}

/** A mark that ends a right-to-left word is on its left, where the engine puts it first. */
const withEndMark = (word: string): string => word.replace(/^([.,:;!?،؛؟…]+)(.+)$/u, '$2$1')

/** Letters in the form that they have within a word, and ligatures, as the letters that a person types. */
const shapedForReading = (text: string): string =>
  text.replaceAll(/[\uFB1D-\uFDFF\uFE70-\uFEFC]+/g, (forms) => forms.normalize('NFKC'))
