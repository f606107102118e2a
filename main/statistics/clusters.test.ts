import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterQuestions } from './clusters.ts'

const questionsOf = (documents: readonly (readonly string[])[]): { id: string; documents: readonly string[] }[] =>
  documents.map((names, index) => ({ id: `q${index}`, documents: names }))

describe('clusterQuestions', () => {
  it('joins questions that share a gold document, over others too', () => {
    const { clusters, summary } = clusterQuestions(
      questionsOf([['a'], ['b'], ['a', 'c'], ['c'], ['d'], [], [], ['e'], ['f'], ['g'], ['h'], ['i']]),
    )
    expect(clusters).toEqual(['q0', 'q1', 'q0', 'q0', 'q4', 'q5', 'q6', 'q7', 'q8', 'q9', 'q10', 'q11'])
    expect(summary).toEqual({
      basis: 'gold_documents',
      questions: 12,
      clusters: 10,
      largest: 3,
      effective: 144 / 18,
      links_cut: 0,
    })
  })

  it('leaves questions without a common document alone', () => {
    expect(clusterQuestions(questionsOf([['a'], ['b'], [], []])).summary).toMatchObject({
      basis: 'question',
      clusters: 4,
      largest: 1,
    })
    expect(clusterQuestions([]).summary).toMatchObject({ basis: 'question', clusters: 0, largest: 0, effective: null })
  })

  it('cuts a giant component at its weakest links', () => {
    // A chain of eight: even questions share two documents with the next one, odd ones share one of many.
    const chain = Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0
        ? [`pair${index}`, `also${index}`, `link${index - 1}`]
        : [`pair${index - 1}`, `also${index - 1}`, `link${index}`],
    )
    const { clusters, summary } = clusterQuestions(questionsOf(chain))
    expect(clusters).toEqual(['q0', 'q0', 'q2', 'q2', 'q4', 'q4', 'q6', 'q6'])
    expect(summary).toEqual({
      basis: 'gold_documents_split',
      questions: 8,
      clusters: 4,
      largest: 2,
      effective: 4,
      links_cut: 3,
    })
  })

  it.each([
    [4, 2],
    [24, 6],
    [40, 10],
    [101, 10],
    [300, 30],
  ])('of %d questions on one document holds %d in a cluster', (count, largest) => {
    const { summary } = clusterQuestions(questionsOf(Array.from({ length: count }, () => ['same'])))
    expect(summary.largest).toBe(largest)
  })

  it('never makes a cluster of over a quarter of few, and counts exactly the links between clusters', () => {
    const sets = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 30,
    })
    fc.assert(
      fc.property(sets, (documents) => {
        const { clusters, summary } = clusterQuestions(questionsOf(documents))
        expect(summary.largest).toBeLessThanOrEqual(Math.max(2, Math.floor(documents.length / 4)))
        expect(new Set(clusters).size).toBe(summary.clusters)
        let cut = 0
        for (const [one, names] of documents.entries())
          for (let other = 0; other < one; other += 1)
            if (clusters[one] !== clusters[other] && documents[other]!.some((name) => names.includes(name))) cut += 1
        expect(cut).toBe(summary.links_cut)
      }),
    )
  })

  it('links neighbours only where questions share documents a million times over, and still finds which belong together', () => {
    const count = 6000
    const { clusters, summary } = clusterQuestions(
      questionsOf(Array.from({ length: count }, (_, index) => [`d${index % 10}`])),
    )
    expect(summary).toMatchObject({ basis: 'gold_documents', clusters: 10, largest: 600, links_cut: 0 })
    expect(clusters[5999]).toBe('q9')
    const whole = clusterQuestions(questionsOf(Array.from({ length: count }, () => ['same'])))
    expect(whole.summary).toMatchObject({ basis: 'gold_documents_split', clusters: 10, largest: 600, links_cut: 9 })
  })
})
