import { describe, expect, it } from 'vitest'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { withDocumentEvidence } from './document-evidence.ts'

/** Hits as `document: score`, best first, and what becomes of them. */
const order = (hits: readonly (readonly [document: string, score: number])[]): string[] =>
  withDocumentEvidence(
    hits.map(([document, score], chunkIndex) => ({ chunk: storedChunk(document, 'x', chunkIndex), score })),
  ).map(({ chunk }) => `${chunk.document}${chunk.chunkIndex}`)

describe('evidence of whole documents', () => {
  it('keeps the order of passages that are the only ones of their documents', () => {
    expect(
      order([
        ['a', 0.9],
        ['b', 0.5],
        ['c', 0.4],
        ['d', 0],
      ]),
    ).toEqual(['a0', 'b1', 'c2', 'd3'])
  })

  it('puts a passage before an equal one whose document has no other match', () => {
    expect(
      order([
        ['a', 0.9],
        ['b', 0.5],
        ['c', 0.5],
        ['c', 0.4],
      ]),
    ).toEqual(['a0', 'c2', 'c3', 'b1'])
  })

  it('lets many weak passages of a long document not outweigh a strong one', () => {
    const weak = Array.from({ length: 50 }, () => ['long', 0.2] as const)
    expect(order([['a', 0.9], ...weak])[0]).toBe('a0')
  })

  it('returns nothing for nothing, and scores best first', () => {
    expect(order([])).toEqual([])
    expect(
      order([
        ['a', 0],
        ['b', 0],
      ]),
    ).toEqual(['a0', 'b1'])
  })
})
