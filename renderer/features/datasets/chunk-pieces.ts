import type { PlacedChunk } from '../../../contract/control/document-chunks.ts'
import { mergeSpans, type Span } from '../../components/text-match.ts'

/** A stretch of a text in which nothing changes. */
export interface Piece extends Span {
  isGold: boolean
  /** Indexes of the chunks that hold it, in order; two or more: their overlap. */
  chunks: number[]
  /** Chunks whose first character is this piece's. */
  begins: PlacedChunk[]
}

/** A text cut wherever a chunk or a gold fact begins or ends; the pieces in order make the whole text. */
export function chunkPieces(length: number, chunks: readonly PlacedChunk[], gold: readonly Span[]): Piece[] {
  const facts = mergeSpans(gold)
  const cuts = [0, length, ...[...chunks, ...facts].flatMap(({ start, end }) => [start, end])]
    .filter((cut) => cut >= 0 && cut <= length)
    .sort((a, b) => a - b)
  const order = chunks.toSorted((a, b) => a.start - b.start)
  const pieces: Piece[] = []
  let [open, next, fact]: [PlacedChunk[], number, number] = [[], 0, 0]
  for (const [index, start] of cuts.entries()) {
    const end = cuts[index + 1] ?? start
    if (end === start) continue
    open = open.filter((chunk) => chunk.end > start)
    const begins: PlacedChunk[] = []
    for (let chunk = order[next]; chunk !== undefined && chunk.start <= start; chunk = order[++next]) {
      if (chunk.start === start) begins.push(chunk)
      if (chunk.end > start) open.push(chunk)
    }
    while ((facts[fact]?.end ?? Infinity) <= start) fact += 1
    const isGold = (facts[fact]?.start ?? Infinity) <= start
    pieces.push({ start, end, isGold, chunks: open.map((chunk) => chunk.index), begins })
  }
  return pieces
}
