import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkPieces } from './chunk-pieces.ts'

const chunk = (index: number, start: number, end: number) => ({ index, start, end, tokens: null })

describe('chunkPieces', () => {
  it('splits a text at chunks and gold facts, and marks the overlap', () => {
    const [first, second] = [chunk(0, 0, 12), chunk(1, 8, 20)]
    expect(chunkPieces(22, [first, second], [{ start: 6, end: 10 }])).toEqual([
      { start: 0, end: 6, isGold: false, chunks: [0], begins: [first] },
      { start: 6, end: 8, isGold: true, chunks: [0], begins: [] },
      { start: 8, end: 10, isGold: true, chunks: [0, 1], begins: [second] },
      { start: 10, end: 12, isGold: false, chunks: [0, 1], begins: [] },
      { start: 12, end: 20, isGold: false, chunks: [1], begins: [] },
      { start: 20, end: 22, isGold: false, chunks: [], begins: [] },
    ])
  })

  it('leaves out what reaches beyond the part of the text that is there', () =>
    expect(chunkPieces(10, [chunk(3, 4, 40)], [])).toEqual([
      { start: 0, end: 4, isGold: false, chunks: [], begins: [] },
      { start: 4, end: 10, isGold: false, chunks: [3], begins: [chunk(3, 4, 40)] },
    ]))

  it('always makes the whole text, each piece in exactly the chunks that hold it', () => {
    const span = fc.tuple(fc.nat(60), fc.nat(30)).map(([start, size]) => ({ start, end: start + size + 1 }))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.array(span), fc.array(span), (length, spans, gold) => {
        const chunks = spans.map(({ start, end }, index) => chunk(index, start, end))
        const pieces = chunkPieces(length, chunks, gold)
        expect(pieces.map(({ start }) => start)).toEqual([0, ...pieces.slice(0, -1).map(({ end }) => end)])
        expect(pieces.at(-1)!.end).toBe(length)
        for (const piece of pieces) {
          const holds = ({ start, end }: { start: number; end: number }) => start < piece.end && end > piece.start
          expect(piece.chunks.toSorted((a, b) => a - b)).toEqual(chunks.filter(holds).map(({ index }) => index))
          expect(piece.isGold).toBe(gold.some(holds))
        }
      }),
    )
  })
})
