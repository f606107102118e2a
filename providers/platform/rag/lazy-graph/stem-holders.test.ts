import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortDocumentQuestions, shortDocuments } from '../../../../tests/helpers/short-documents.ts'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { buildConceptIndex } from './build-index.ts'
import { ConceptGraph } from './concept-graph.ts'
import { expand } from './expand.ts'
import { createStemHolders, createStoredStems, holdsChunk } from './stem-holders.ts'

it('stem holders lead from a stem to exactly the chunks that hold it, also when read back from their stored form', () => {
  const stem = fc.constantFrom<string[]>('a', 'b', 'ship', 'found', 'é', '__proto__')
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(stem), { maxLength: 40 }), (chunks) => {
      const collected = createStemHolders()
      for (const stems of chunks) collected.add(stems)
      const holders = collected.done()
      const stored = createStoredStems()
      for (const stem of holders) stored.add(stem)
      const again = stored.done()
      for (const asked of ['a', 'b', 'ship', 'found', 'é', '__proto__', 'unknown']) {
        const expected = [...chunks.keys()].filter((chunk) => chunks[chunk]!.includes(asked))
        expect([...holders.chunksOf(asked)]).toEqual(expected)
        expect([...again.chunksOf(asked)]).toEqual(expected)
        for (const chunk of chunks.keys())
          expect(holdsChunk(holders.chunksOf(asked), chunk)).toBe(expected.includes(chunk))
      }
    }),
  )
})

describe('a lazy question', () => {
  const LIMITS = { seedK: 8, relevanceBudget: 24, maxContextChunks: 8 }

  /** Most texts that one question reads in a corpus of so many documents. */
  async function textsRead(documents: number): Promise<number> {
    const chunks = Array.from(shortDocuments(documents), ({ path, text }) => storedChunk(path, text))
    const index = await buildConceptIndex(chunks, 24, 'f')
    const counts = shortDocumentQuestions(documents, 12).map((question, at) => {
      const read = new Set<number>()
      const counted = chunks.map((chunk, position) => ({
        ...chunk,
        get content() {
          read.add(position)
          return chunk.content
        },
      }))
      const subject = Math.floor(((at + 0.5) * documents) / 12)
      const hits = Array.from({ length: 48 }, (_, rank) => ({
        chunk: (subject + rank * 7) % documents,
        score: 1 / (rank + 1),
      }))
      expand(new ConceptGraph(index, counted), question, hits, LIMITS)
      return read.size
    })
    return Math.max(...counts)
  }

  it('reads as many texts in a large corpus as in a small one: those of its seeds and its budget', async () => {
    expect(await textsRead(100)).toBeLessThanOrEqual(LIMITS.seedK + LIMITS.relevanceBudget)
    expect(await textsRead(2000)).toBeLessThanOrEqual(LIMITS.seedK + LIMITS.relevanceBudget)
  })
})
