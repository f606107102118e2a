import { expect, test } from 'vitest'
import type { Figure } from '../bench/figure.ts'
import { figuresOf, pooledFigures } from '../bench/retrieval.bench.ts'

const QUESTIONS = Array.from({ length: 10 }, (_, at) => ({
  id: `q${at}`,
  text: 'Who built it?',
  gold: [{ document: 'a.md' }, { document: 'b.md' }],
  secondHalf: false,
}))

/** Scores of an approach that finds everything for its first `solved` questions and nothing for the others. */
const solving = (solved: number) =>
  new Map(
    QUESTIONS.map(({ id }, at) => {
      const found = at < solved ? 1 : 0
      return [id, { recall: found, all: found, ndcg: found, contexts: 5 }]
    }),
  )

function figures(
  solvedBy: Record<string, number>,
  whose: Parameters<typeof figuresOf>[3] = 'of a set',
  questions = QUESTIONS,
): Figure[] {
  const scores = new Map(Object.entries(solvedBy).map(([alias, solved]) => [alias, solving(solved)]))
  return figuresOf('a set', questions, scores, whose)
}

const starting = (all: readonly Figure[], start: string): Figure[] => all.filter(({ what }) => what.startsWith(start))

test.each([
  { fused: 6, value: -0.2, met: false },
  { fused: 8, value: 0, met: true },
  { fused: 9, value: 0.1, met: true },
])('fusion that finds $fused of 10 is compared with its better leg, which finds 8', ({ fused, value, met }) => {
  const all = figures({ 'plain BM25': 5, 'vanilla-rag': 3, bm25: 8, 'hybrid-rag-fast': fused })
  const [figure, ...others] = starting(all, 'a set: hybrid-rag-fast: gold documents in the first 5 beyond bm25,')
  expect(others).toEqual([])
  expect(figure).toMatchObject({ target: '≥ -0.01', met })
  expect(figure!.value).toBeCloseTo(value)
})

test('the better leg of a fusion can be the dense one', () => {
  const all = figures({ 'plain BM25': 5, 'vanilla-rag': 9, bm25: 8, 'hybrid-rag-fast': 8 })
  expect(starting(all, 'a set: hybrid-rag-fast: gold documents in the first 5 beyond vanilla-rag,')).toHaveLength(1)
})

test('fusion is not compared with a better leg when one leg was not asked', () => {
  const all = figures({ 'plain BM25': 5, bm25: 8, 'hybrid-rag-fast': 6 })
  expect(all.filter(({ target }) => target === '≥ -0.01')).toEqual([])
})

test('a set of this repository has no target of fusion', () => {
  const all = figures({ 'plain BM25': 5, 'vanilla-rag': 3, bm25: 8, 'hybrid-rag-fast': 6 }, 'of this repository')
  const [figure] = starting(all, 'a set: hybrid-rag-fast: gold documents in the first 5 beyond bm25,')
  expect(figure).toMatchObject({ target: '', met: null })
})

test('an agentic approach shows its gain of questions with all gold found, with its interval', () => {
  const all = figures({ 'plain BM25': 5, 'agentic-rag': 8 })
  const [figure] = starting(all, 'a set: agentic-rag: all gold documents in the first 5 beyond plain BM25,')
  expect(figure!.value).toBeCloseTo(0.3)
  expect(figure!.what).toMatch(/95 % interval -?0\.\d{3} to 0\.\d{3}$/)
})

test('of the approaches that collect several documents, the best has to find all of them a third more often', () => {
  const all = figures({ 'plain BM25': 6, 'agentic-rag': 8, 'graph-rag': 7, 'lazy-graph-rag': 5 })
  const lifts = all.filter(({ what }) =>
    what.endsWith('all of several gold documents in the first 5, times plain BM25'),
  )
  expect(lifts.map(({ target, met }) => ({ target, met }))).toEqual([
    { target: '≥ 1.33', met: true },
    { target: '', met: null },
    { target: '', met: null },
  ])
})

test('questions with one gold document say nothing about finding several', () => {
  const single = QUESTIONS.map((question) => ({ ...question, gold: [{ document: 'a.md' }] }))
  const all = figures({ 'plain BM25': 5, 'agentic-rag': 8 }, 'of a set', single)
  expect(all.filter(({ what }) => what.includes('all of several'))).toEqual([])
})

test('contextual retrieval is compared with hybrid search on the same questions', () => {
  const all = figures({ 'plain BM25': 5, 'hybrid-rag': 4, 'contextual-rag': 7 })
  const [figure, ...others] = starting(all, 'a set: contextual-rag: gold documents in the first 5 beyond hybrid-rag,')
  expect(others).toEqual([])
  expect(figure!.value).toBeCloseTo(0.3)
})

test.each([
  { hybrid: 6, met: true },
  { hybrid: 5, met: false },
])('hybrid search that finds $hybrid of 10 where BM25 finds 5 meets its target: $met', ({ hybrid, met }) => {
  for (const whose of ['of a set', 'of all sets'] as const) {
    const all = figures({ 'plain BM25': 5, 'hybrid-rag': hybrid }, whose)
    const [figure] = starting(all, 'a set: hybrid-rag: gold documents in the first 5 beyond plain BM25,')
    expect(figure).toMatchObject({ target: '≥ 0.02', met })
  }
})

test.each([
  { whose: 'of a set', hybrid: 8, target: '≥ -0.005', met: true },
  { whose: 'of a set', hybrid: 7, target: '≥ -0.005', met: false },
  { whose: 'of all sets', hybrid: 8, target: '≥ 0.02', met: false },
  { whose: 'of all sets', hybrid: 9, target: '≥ 0.02', met: true },
] as const)(
  'hybrid search that finds $hybrid of 10 $whose where BM25 with stems finds 8',
  ({ whose, hybrid, target, met }) => {
    const all = figures({ 'plain BM25': 5, 'stemmed BM25': 8, 'hybrid-rag': hybrid }, whose)
    const [figure] = starting(all, 'a set: hybrid-rag: gold documents in the first 5 beyond stemmed BM25,')
    expect(figure).toMatchObject({ target, met })
  },
)

test('graph search has to find all of several documents a third more often than BM25 with stems', () => {
  const all = figures({ 'plain BM25': 5, 'stemmed BM25': 6, 'graph-rag': 7, 'agentic-rag': 8 })
  const lifts = all.filter(({ what }) => what.endsWith('in the first 5, times stemmed BM25'))
  expect(lifts.map(({ target, met }) => ({ target, met }))).toEqual([
    { target: '≥ 1.33', met: false },
    { target: '', met: null },
  ])
})

test('sets together count each question once and leave out approaches that one of them lacks', () => {
  const set = (name: string, solved: Record<string, number>) => ({
    questions: QUESTIONS.map((question) => ({ ...question, id: `${name} ${question.id}` })),
    scores: new Map(
      Object.entries(solved).map(([alias, count]) => [
        alias,
        new Map([...solving(count)].map(([id, score]) => [`${name} ${id}`, score])),
      ]),
    ),
  })
  const all = pooledFigures([
    set('a', { 'plain BM25': 5, 'hybrid-rag': 8, bm25: 4 }),
    set('b', { 'plain BM25': 9, 'hybrid-rag': 8 }),
  ])
  const [figure] = starting(all, 'sets together: hybrid-rag: gold documents in the first 5 beyond plain BM25,')
  expect(figure!.value).toBeCloseTo(0.1)
  expect(all.filter(({ what }) => what.includes('bm25'))).toEqual([])
})
