import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunksOf, type Documents } from '../../../../tests/helpers/rag-fixture.ts'
import { ConceptGraph } from './concept-graph.ts'
import { buildConceptIndex } from './build-index.ts'
import { expand } from './expand.ts'

async function graphOf(documents: Documents): Promise<ConceptGraph> {
  const chunks = chunksOf(documents)
  return new ConceptGraph(await buildConceptIndex(chunks, 24, 'f'), chunks)
}

const one = (title: string, text: string) => ({ title, paragraphs: [text] })

/** Three hops: ship → builder → teacher → town, among passages that only look alike. */
const CHAIN: Documents = {
  'a.md': one('Register of hulls', 'The Corisande was designed by Vebjorn Rask for the northern expedition.'),
  'b.md': one('Vebjorn Rask', 'Vebjorn Rask drew hulls all his life. As a boy he was the pupil of Lucia Sarti.'),
  'c.md': one('Lucia Sarti', 'Lucia Sarti came from Oumel and never left the coast.'),
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `noise-${index}.md`,
      one(`Ship note ${index}`, `Another ship was designed by somebody who had a teacher in town number ${index}.`),
    ]),
  ),
}

const documentsOf = (graph: ConceptGraph, chosen: readonly { chunk: number }[]) =>
  chosen.map(({ chunk }) => graph.chunks.at(chunk)!.document)

describe('expansion', async () => {
  const graph = await graphOf(CHAIN)
  const question = 'From which place did the person come who had taught the designer of the Corisande?'
  const hits = [0, 3, 4, 5, 6].map((chunk, index) => ({ chunk, score: 1 - index * 0.1 }))
  const limits = { seedK: 5, relevanceBudget: 24, maxContextChunks: 5 }

  it('walks a chain of names whose later links share no word with the question', () => {
    const { chosen, bridges } = expand(graph, question, hits, limits)
    const documents = documentsOf(graph, chosen)
    expect(documents.slice(0, 2)).toEqual(['a.md', 'b.md'])
    expect(documents).toContain('c.md')
    expect(bridges.filter(({ chunk }) => chunk < 3)).toEqual([
      { chunk: 1, from: 0, via: 'vebjorn rask' },
      { chunk: 2, from: 1, via: 'lucia sarti' },
    ])
  })

  it('starts from the names in the question when the search missed them', () => {
    const missed = hits.slice(1)
    expect(documentsOf(graph, expand(graph, question, missed, limits).chosen)).toEqual(
      expect.arrayContaining(['a.md', 'b.md']),
    )
  })

  it('reaches as far as its budget', () => {
    const reach = (relevanceBudget: number) => expand(graph, question, hits, { ...limits, relevanceBudget })
    expect(reach(1).relevanceTests).toBe(1)
    expect(documentsOf(graph, reach(1).chosen)).not.toContain('c.md')
    expect(documentsOf(graph, reach(24).chosen)).toContain('c.md')
    expect(reach(0)).toMatchObject({ relevanceTests: 0, bridges: [] })
  })

  it('keeps the search order where no concept changes it', async () => {
    const plain = await graphOf(
      Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.md`, one(`t${i}`, `word${i} only`)])),
    )
    const found = [4, 2, 0].map((chunk, index) => ({ chunk, score: 1 - index * 0.3 }))
    expect(expand(plain, 'anything?', found, limits)).toMatchObject({
      chosen: [{ chunk: 4 }, { chunk: 2 }, { chunk: 0 }],
      bridges: [],
      relevanceTests: 0,
    })
    expect(expand(plain, 'anything?', [], limits)).toEqual({ chosen: [], bridges: [], relevanceTests: 0 })
  })

  it('keeps its limits and is the same each time, whatever the text', async () => {
    const word = fc.constantFrom('Ada', 'Brill', 'Esker', 'GX-1', 'salt', 'ship', 'the', 'of', 'founded', '.', '\n')
    const text = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        text,
        fc.record({ seedK: fc.nat(6), relevanceBudget: fc.nat(8), maxContextChunks: fc.integer({ min: 1, max: 8 }) }),
        async (texts, asked, some) => {
          const random = await graphOf(
            Object.fromEntries(texts.map((content, i) => [`${i}.md`, one(`Title ${i % 3}`, content)])),
          )
          const found = texts.map((_, chunk) => ({ chunk, score: 1 / (chunk + 1) })).slice(0, 8)
          const result = expand(random, asked, found, some)
          expect(result).toEqual(expand(random, asked, found, some))
          expect(result.relevanceTests).toBeLessThanOrEqual(some.relevanceBudget)
          expect(result.chosen.length).toBeLessThanOrEqual(some.maxContextChunks)
          expect(new Set(result.chosen.map(({ chunk }) => chunk)).size).toBe(result.chosen.length)
          const scores = result.chosen.map(({ score }) => score)
          expect(scores).toEqual(scores.toSorted((left, right) => right - left))
          expect(scores.every((score) => score >= 0 && score <= 1.000001)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })
})
