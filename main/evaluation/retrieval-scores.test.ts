import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { budgetCurve, goldRanks, holdsFact, scoreRetrieval, type RankedEvidence } from './retrieval-scores.ts'

const gold = [
  { document: 'a.md', fact: 'The lock was opened in May 1904.' },
  { document: 'b.md', fact: 'Hester Quill designed the gates.' },
]
const context = (document: string | undefined, text: string) => ({ document, text })
const evidence = (
  contexts: { document: string | undefined; text: string }[],
  more: Partial<RankedEvidence> = {},
): RankedEvidence => ({
  capability: 'answer_with_contexts',
  gold,
  sources: contexts.map(({ document }) => ({
    title: 't',
    snippet: 's',
    score: 1,
    ...(document === undefined ? {} : { document }),
  })),
  contexts: contexts.map(({ text }) => text),
  usedPassages: null,
  ...more,
})

describe('scoreRetrieval', () => {
  it('is 1 everywhere when each gold fact has its own rank from the top', () => {
    expect(
      scoreRetrieval(evidence([context('a.md', 'x. The lock was opened in May 1904.'), context('b.md', gold[1]!.fact)]))
        .scores,
    ).toEqual({
      hit_at_5: 1,
      facts_found: 1,
      recall_at_5: 1,
      mrr_at_10: 1,
      ndcg_at_10: 1,
      // Two contexts on five places.
      precision_at_5: 0.4,
      r_precision: 1,
      average_precision: 1,
    })
  })

  it('follows the formulas for one of two facts at rank 3', () => {
    const noise = context('z.md', 'noise')
    const { scores } = scoreRetrieval(evidence([noise, noise, context('a.md', gold[0]!.fact)]))
    expect(scores.hit_at_5).toBe(1)
    expect(scores.recall_at_5).toBe(0.5)
    expect(scores.mrr_at_10).toBeCloseTo(1 / 3, 12)
    // DCG 1/log2(4) over ideal 1/log2(2) + 1/log2(3)
    expect(scores.ndcg_at_10).toBeCloseTo(0.5 / (1 + 1 / Math.log2(3)), 12)
  })

  it('scores the first tokens of the contexts at each budget of the curve, the last context cut', () => {
    // 497 words of one token each, then a fact of which the budget of 500 holds nothing and that of 1,000 all.
    const noise = context('a.md', Array.from({ length: 497 }, () => 'word').join(' '))
    const { budget_curve: curve, scores } = scoreRetrieval(
      evidence([noise, context('a.md', gold[0]!.fact), context('b.md', gold[1]!.fact)]),
    )
    expect(curve).toEqual([0, 1, 1, 1, 1])
    expect(scores.facts_found).toBe(1)
    expect(scoreRetrieval(evidence([])).budget_curve).toEqual([0, 0, 0, 0, 0])
    expect(scoreRetrieval(evidence([], { gold: [] })).budget_curve).toBeUndefined()
  })

  const [first, second] = [gold[0]!.fact, gold[1]!.fact]
  const third = { document: 'a.md', fact: 'The keeper kept a goat.' }
  const same = [gold[0]!, { document: 'a.md', fact: second }]
  const nothing = context('z.md', 'noise')
  const log3 = Math.log2(3)
  it.each([
    // DCG 2, ideal 2
    ['both facts in the first context', same, [context('a.md', `${first} ${second}`)], 1],
    // DCG 2/log2(3), ideal 2
    ['both facts in the second context', same, [nothing, context('a.md', `${first} ${second}`)], 1 / log3],
    // DCG 2, ideal 2 + 1/log2(3)
    [
      'two of three facts in one context',
      [...same, third],
      [context('a.md', `${first} ${second}`)],
      2 / (2 + 1 / log3),
    ],
    // DCG 1 + 1/log2(3), ideal 2: the second context holds both
    [
      'one fact before the context that holds both',
      same,
      [context('a.md', first), context('a.md', `${first} ${second}`)],
      (1 + 1 / log3) / 2,
    ],
    // DCG 1, ideal 1 + 1/log2(3)
    ['one fact twice and the other never', same, [context('a.md', first), context('a.md', first)], 1 / (1 + 1 / log3)],
    // DCG 1/log2(3) + 2/log2(4), ideal 2 + 1/log2(3)
    [
      'two facts together after a single one',
      [...same, third],
      [nothing, context('a.md', third.fact), context('a.md', `${first} ${second}`)],
      (1 / log3 + 1) / (2 + 1 / log3),
    ],
  ])('normalizes nDCG by the best order where contexts hold several facts: %s', (_case, facts, contexts, expected) => {
    expect(scoreRetrieval(evidence(contexts, { gold: facts })).scores.ndcg_at_10).toBeCloseTo(expected, 12)
  })

  it('gives the best order an nDCG of 1 without a cap, also where a greedy order is worse', () => {
    const names = ['ash', 'birch', 'cedar', 'dogwood', 'elm', 'fir']
    const facts = names.map((name) => ({ document: 'a.md', fact: `${name} ${name} ${name}` }))
    const text = (...numbers: number[]) => context('a.md', numbers.map((at) => facts[at]!.fact).join('. '))
    // A greedy order starts with the first three and needs three more contexts; the order at hand needs two.
    const better = [text(0, 3, 4), text(1, 2, 5), text(0, 1, 2)]
    expect(scoreRetrieval(evidence(better, { gold: facts })).scores.ndcg_at_10).toBe(1)
    const single = [text(0), text(1), text(2), text(3), text(4), text(5), text(0, 1, 2, 3, 4, 5)]
    const discounted = [0, 1, 2, 3, 4, 5].reduce((sum, rank) => sum + 1 / Math.log2(rank + 2), 0)
    expect(scoreRetrieval(evidence(single, { gold: facts })).scores.ndcg_at_10).toBeCloseTo(discounted / 6, 12)
  })

  it('counts rank 6 for the rank metrics, not for hit and recall at 5', () => {
    const noise = context('z.md', 'noise')
    const { scores } = scoreRetrieval(evidence([noise, noise, noise, noise, noise, context('a.md', gold[0]!.fact)]))
    expect(scores).toMatchObject({ facts_found: 0.5, hit_at_5: 0, recall_at_5: 0 })
    expect(scores.mrr_at_10).toBeCloseTo(1 / 6, 12)
  })

  it('states recall over all contexts and their number beside the scores, whatever the rank', () => {
    const noise = context('z.md', 'noise')
    const sixth = evidence([noise, noise, noise, noise, noise, context('a.md', gold[0]!.fact)])
    expect(scoreRetrieval(sixth).all_contexts).toEqual({ contexts: 6, recall: 0.5 })
    expect(scoreRetrieval(evidence([noise])).all_contexts).toEqual({ contexts: 1, recall: 0 })
    expect(scoreRetrieval(evidence([])).all_contexts).toEqual({ contexts: 0, recall: 0 })
    expect(scoreRetrieval(evidence([], { gold: [] })).all_contexts).toBeUndefined()
  })

  it('does not credit another document that happens to hold the same text, unless the source names none', () => {
    expect(scoreRetrieval(evidence([context('other.md', gold[0]!.fact)])).scores.hit_at_5).toBe(0)
    expect(scoreRetrieval(evidence([context(undefined, gold[0]!.fact)])).scores.hit_at_5).toBe(1)
  })

  it('reports why there are no scores instead of giving zero', () => {
    expect(scoreRetrieval(evidence([], { gold: [] }))).toEqual({
      status: 'not_evaluable',
      scores: {},
      reason: 'gold_evidence_required',
    })
    expect(scoreRetrieval(evidence([]))).toMatchObject({ reason: 'retrieved_contexts_required' })
    expect(scoreRetrieval(evidence([context('a.md', gold[0]!.fact)], { capability: 'answer_only' }))).toMatchObject({
      reason: 'answer_only',
    })
  })
})

describe('an answer-only approach', () => {
  const used = (...texts: string[]) =>
    texts.map((text) => ({ title: 'a.md', snippet: text.slice(0, 9), score: null, text, document: 'a.md' }))
  const scores = (usedPassages: RankedEvidence['usedPassages']) =>
    scoreRetrieval(evidence([], { capability: 'answer_only', usedPassages }))

  it('is scored by the passages that its engine reports as used, in their order', () => {
    expect(scores(used('Noise.', gold[0]!.fact))).toMatchObject({
      status: 'ok',
      scores: { hit_at_5: 1, recall_at_5: 0.5, mrr_at_10: 0.5 },
      all_contexts: { contexts: 2, recall: 0.5 },
    })
  })

  it('retrieved nothing where the engine reports that it used no passage', () => {
    expect(scores([])).toMatchObject({ status: 'not_evaluable', reason: 'retrieved_contexts_required' })
  })
})

it('scores the contexts of an answer that has both contexts and used passages', () => {
  const usedPassages = [{ title: 'a.md', snippet: 's', score: 1, text: gold[0]!.fact, document: 'a.md' }]
  expect(scoreRetrieval(evidence([context('z.md', 'Noise.')], { usedPassages })).scores.hit_at_5).toBe(0)
})

it('which facts were found is unknown where contexts came without their sources', () => {
  const bare = evidence([], { contexts: [gold[0]!.fact, gold[1]!.fact] })
  expect([goldRanks(bare, gold), budgetCurve(bare, gold)]).toEqual([null, null])
})

describe('gold evidence that is a document', () => {
  const documents = [{ document: 'a.md' }, { document: 'b.md' }]

  it('is found by any context of the document; a source that names none is known by its title', () => {
    const found = scoreRetrieval(evidence([context('z.md', 'x'), context('b.md', 'anything')], { gold: documents }))
    expect(found).toMatchObject({ status: 'ok', scores: { hit_at_5: 1, recall_at_5: 0.5, mrr_at_10: 0.5 } })
    const byTitle = { title: 'b.md', snippet: 's', score: 1 }
    const titled = scoreRetrieval(evidence([], { gold: documents, contexts: ['x'], sources: [byTitle] }))
    expect(titled.scores.recall_at_5).toBe(0.5)
  })
})

describe('the figures of another program', () => {
  interface Case {
    gold: string[]
    contexts: string[]
    scores: Record<string, number>
  }
  const { cases } = JSON.parse(
    readFileSync(new URL('../../tests/fixtures/ir-measures.json', import.meta.url), 'utf8'),
  ) as { cases: Case[] }

  it('are ours where each context is a document and each gold fact another one', () => {
    expect(cases.length).toBeGreaterThan(15)
    for (const { gold: documents, contexts, scores } of cases) {
      const found = scoreRetrieval(
        evidence(
          contexts.map((document) => context(document, 'text')),
          { gold: documents.map((document) => ({ document })) },
        ),
      ).scores
      for (const [metric, score] of Object.entries(scores))
        expect(found[metric as keyof typeof found], `${metric} of ${documents.join(' ')}`).toBeCloseTo(score, 9)
    }
  })
})

describe('gold evidence that is a long passage', () => {
  const words = Array.from({ length: 300 }, (_, index) => `word${index}`)
  const passage = words.join(' ')

  it('is held by a context that is a part of it, or mostly so, but not by a line that also occurs in it', () => {
    expect(holdsFact(words.slice(40, 120).join(' '), passage)).toBe(true)
    expect(holdsFact(`${words.slice(0, 70).join(' ')} ${'other '.repeat(20)}`, passage)).toBe(true)
    expect(holdsFact(`${words.slice(0, 40).join(' ')} ${'other '.repeat(60)}`, passage)).toBe(false)
    expect(holdsFact(words.slice(0, 12).join(' '), passage)).toBe(false)
  })
})

describe('holdsFact', () => {
  it('ignores layout and case, and counts a fact that a chunk border cuts after most of its words', () => {
    expect(holdsFact('… THE  lock was\nopened, in May 1904', gold[0]!.fact)).toBe(true)
    expect(holdsFact('lock was opened in May', 'The lock was opened in May 1904')).toBe(true)
    expect(holdsFact('the lock', gold[0]!.fact)).toBe(false)
    expect(holdsFact('in 1904 the opened lock was May', gold[0]!.fact)).toBe(false)
  })

  it('does not find a fact of which another word stands in the middle of a context', () => {
    const fact = 'The lock was opened in May 1904'
    expect(holdsFact('Note. The lock was opened in May 1994. It was rebuilt.', fact)).toBe(false)
    expect(holdsFact('Note. The lock was opened in May', fact)).toBe(true)
    expect(holdsFact('was opened in May 1904. It was rebuilt.', fact)).toBe(true)
  })
})
