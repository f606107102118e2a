import { describe, expect, it } from 'vitest'
import type { GoldPath, OtherCell } from '../../contract/control/cells.ts'
import type { Refusal } from '../../contract/evidence/answer-scores.ts'
import type { BudgetEnd } from './budget-end.ts'
import { diagnose, type DiagnosedRow, type Diagnosis } from './cell-diagnosis.ts'

const TWO_FACTS = [
  { document: 'canal-locks.md', fact: 'the lock rises by four metres' },
  { document: 'keepers.md', fact: 'Anna Meer keeps the lock' },
]

const LOST: GoldPath = { stage: 'not_retrieved', is_seen: false, search: null, reranker: null, reranked: null }

interface DiagnosedCell {
  question?: Partial<DiagnosedRow['question'] & { forbidden_answers: string[] }>
  operational?: Partial<DiagnosedRow['metrics']['operational']>
  covered?: number
  refused?: Refusal['refused']
  answer?: string
  contexts?: string[]
  ranks?: (number | null)[] | null
  paths?: (GoldPath | null)[] | null
  others?: OtherCell[]
  isAnswerPartial?: boolean
  budgetEnd?: BudgetEnd | null
}

const rowOf = ({
  question,
  operational,
  covered,
  refused = false,
  answer = 'It rises by four metres.',
  contexts = ['The lock rises by four metres.'],
}: DiagnosedCell): DiagnosedRow => ({
  status: 'ok',
  error: null,
  question: { answerable: true, gold: TWO_FACTS, answer_keys: [['four metres', '4 m']], ...question },
  evidence: { answer, contexts, sources: [] },
  metrics: {
    operational: { latency_ms: 210, ...operational },
    retrieval: {},
    answer: {
      scores: covered === undefined ? {} : { points_covered: covered },
      refusal: { refused, decided_by: 'rule' },
    },
  },
})

const diagnosed = (cell: DiagnosedCell) => {
  const { ranks = [1, 2], paths = null, others = [], isAnswerPartial = false, budgetEnd = null } = cell
  return whole(diagnose({ row: rowOf(cell), goldRanks: ranks, goldPaths: paths, others, isAnswerPartial, budgetEnd }))
}

const whole = ({ outcome, lead, rest }: Diagnosis) => ({ outcome, text: `${lead} ${rest}`.trim() })

const other = (model: string, found: number | null): OtherCell => ({
  model,
  base_model: null,
  row_id: null,
  status: 'ok',
  error_type: null,
  evaluation: null,
  latency_ms: null,
  scores: {},
  judge_mean: null,
  found,
})

describe('the diagnosis of a cell', () => {
  it('names the fact that was not retrieved, and the approaches that found all', () => {
    const others = [other('vanilla-rag', 0.5), other('graph-rag', 1), other('agentic-rag', 1)]
    expect(diagnosed({ ranks: [1, null], paths: [null, LOST], covered: 0, answer: 'It is unknown.', others })).toEqual({
      outcome: 'wrong',
      text: 'Of 2 gold facts 1 was in the contexts: “Anna Meer keeps the lock” (keepers.md) was not retrieved. graph-rag and agentic-rag found both. The answer leaves out the required point “four metres”.',
    })
  })

  it('counts facts beyond the first that was not retrieved, and says when no approach found all', () => {
    const paths = [LOST, LOST]
    const { text } = diagnosed({
      ranks: [null, null],
      paths,
      others: [other('vanilla-rag', 0), other('graph-rag', 0.5)],
    })
    expect(text).toContain('Of 2 gold facts none was in the contexts: “the lock rises by four metres”')
    expect(text).toContain('was not retrieved; another is missing too. No approach found everything.')
  })

  it('says that the context budget ends in the document of a missing fact, not that the document was not retrieved', () => {
    const budgetEnd = { rank: 2, budget: 100, document: 'keepers.md' }
    const { text } = diagnosed({ ranks: [1, null], covered: 0, answer: 'Unknown.', budgetEnd })
    expect(text).toContain(
      'Of 2 gold facts 1 was in the contexts: “Anna Meer keeps the lock” (keepers.md) is missing, and its document was retrieved at rank 2, where the context budget of 100 tokens ended.',
    )
    expect(text).not.toContain('was not retrieved')
    const elsewhere = diagnosed({
      ranks: [1, null],
      paths: [null, LOST],
      budgetEnd: { ...budgetEnd, document: 'canal-locks.md' },
    })
    expect(elsewhere.text).toContain('(keepers.md) was not retrieved')
  })

  const BUDGET: BudgetEnd = { rank: 3, budget: 250, document: 'canal-locks.md' }
  const RANKED: GoldPath = {
    stage: 'not_handed_over',
    is_seen: true,
    search: { rank: 3, of: 9 },
    reranker: { rank: 4, of: 9 },
    reranked: 9,
  }
  const NO_RERANKER = { ...RANKED, is_seen: false, reranker: null, reranked: null }
  it.each([
    [
      RANKED,
      BUDGET,
      ' was retrieved at rank 3 of 9, put at rank 4 of 9 by the reranker and left out by the context budget of 250 tokens.',
    ],
    [
      { ...RANKED, search: null },
      null,
      ' was retrieved, put at rank 4 of 9 by the reranker and left out by top k, which handed over 1 passage.',
    ],
    [
      NO_RERANKER,
      BUDGET,
      ' is missing: a passage of its document was retrieved at rank 3 of 9, but left out by the context budget of 250 tokens.',
    ],
    [
      NO_RERANKER,
      null,
      ' is missing: a passage of its document was retrieved at rank 3 of 9, but left out by top k, which handed over 1 passage.',
    ],
    [
      { ...NO_RERANKER, stage: 'not_reranked', search: { rank: 35, of: 100 }, reranked: 20 },
      BUDGET,
      ' is missing: a passage of its document was retrieved at rank 35 of 100, but not among the 20 passages that the reranker read.',
    ],
    [
      { ...RANKED, stage: 'not_reranked', reranked: 5 },
      BUDGET,
      ' was retrieved at rank 3 of 9, put at rank 4 of 9 by the reranker and not among the 5 passages of the last ranking.',
    ],
    [LOST, BUDGET, ' was not retrieved.'],
    [null, BUDGET, ' is missing.'],
  ] as const)('says at which stage a fact was lost: %j, budget %j', (path, budgetEnd, words) => {
    const { text } = diagnosed({ ranks: [1, null], paths: [null, path], covered: 0, answer: 'Unknown.', budgetEnd })
    expect(text).toContain(`(keepers.md)${words}`)
  })

  it('counts the approaches that found all where they are many', () => {
    const others = ['a', 'b', 'c', 'd'].map((model) => other(model, 1))
    const { text } = diagnosed({ ranks: [1, null], others: [other('vanilla-rag', 0.5), ...others] })
    expect(text).toContain('4 of 4 other approaches found both.')
  })

  it('distinguishes facts that were found and not used', () => {
    const question = { answer_keys: [['four metres', '4 m'], ['Anna Meer']] }
    expect(diagnosed({ question, covered: 0.5, answer: 'By 4 m.' })).toEqual({
      outcome: 'partly',
      text: 'Found, not used: both gold facts were in the contexts. The answer has 1 of 2 required points: it leaves out “Anna Meer”.',
    })
  })

  it('names the passages that an engine reports as used where no contexts came with the answer', () => {
    const row = rowOf({ covered: 1 })
    const evidence = { answer: 'It rises by four metres.', contexts: [], used_passages: [] }
    const cell = {
      row: { ...row, evidence },
      goldRanks: [1, 1],
      goldPaths: null,
      isAnswerPartial: false,
      budgetEnd: null,
      others: [],
    }
    expect(diagnose(cell).rest).toBe('Both gold facts were in the passages that the engine reports as used.')
  })

  it('is right where the answer has every point, with the rank of a fact that came late', () => {
    expect(diagnosed({ covered: 1, ranks: [1, 8] })).toEqual({
      outcome: 'right',
      text: 'Right: the answer has the required point. Both gold facts were in the contexts, “Anna Meer keeps the lock” (keepers.md) only at rank 8.',
    })
  })

  it('is only partly right where the answer has every point without its facts', () => {
    expect(diagnosed({ covered: 1, ranks: [1, null] }).outcome).toBe('partly')
  })

  it.each([
    [{ operational: { is_cut: true } as const }, 'Cut at the length limit of the model.'],
    [{ operational: { is_unsearched: true } as const }, 'Answered without a search:'],
    [{ operational: { is_repeated_prompt: true } as const }, 'Repeats its prompt and says nothing'],
    [{ refused: true }, 'Says that it cannot answer.'],
  ])('begins with what the call did: %j', (cell, begin) => {
    const { outcome, text } = diagnosed({ ...cell, covered: 0, answer: 'Unknown.' })
    expect(outcome).toBe('wrong')
    expect(text.startsWith(begin)).toBe(true)
    expect(text).toContain('Both gold facts were in the contexts.')
  })

  it.each([
    [true, 'right', /^Right: it says/],
    [false, 'wrong', /^Answered although/],
    [null, 'unknown', /is unknown/],
  ] as const)('an unanswerable question is decided by the refusal: %j', (refused, outcome, words) => {
    const found = diagnosed({ question: { answerable: false }, refused })
    expect(found.outcome).toBe(outcome)
    expect(found.text).toMatch(words)
  })

  it('a declared wrong answer explains why points that are there do not count', () => {
    expect(diagnosed({ covered: 0, question: { forbidden_answers: ['the gates'] } }).text).toContain(
      'declares as wrong',
    )
  })

  it('claims nothing about an answer without required points, nor about facts without passages', () => {
    const none = { question: { answer_keys: [] } }
    expect(diagnosed(none)).toEqual({
      outcome: 'unknown',
      text: 'Both gold facts were in the contexts. The question names no required points: compare the answer with the reference.',
    })
    expect(diagnosed({ ...none, ranks: null, contexts: [] }).text).toMatch(/^It returned no passages/)
    expect(diagnosed({ ...none, question: { answer_keys: [], gold: [] } }).text).toMatch(
      /^The question names no gold facts/,
    )
  })

  it('says of contexts without their sources that what they hold is unknown, not that there were none', () => {
    expect(diagnosed({ ranks: null }).text).toMatch(
      /^Its contexts came without their sources, so what it found is unknown\./,
    )
  })

  it('names no missing point of an answer that is not here as a whole', () => {
    expect(diagnosed({ covered: 0, isAnswerPartial: true, answer: 'It' }).text).toMatch(
      /leaves out the required point\.$/,
    )
  })

  it('a failed call has no answer, and its kind is named', () => {
    const row: DiagnosedRow = { ...rowOf({}), status: 'error', error: { type: 'http_error' }, evidence: null }
    const failed = { row, goldRanks: null, goldPaths: null, others: [], isAnswerPartial: false, budgetEnd: null }
    expect(whole(diagnose(failed))).toEqual({ outcome: 'wrong', text: 'No answer: the call failed (http error).' })
    const { lead: text } = diagnose({ ...failed, row: { ...row, status: 'timeout' } })
    expect(text).toBe('No answer: the call ran into its time limit after 210 ms.')
  })
})
