import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { goldRanksOf } from './gold-ranks.ts'

const GOLD = [
  { document: 'canal-locks.md', fact: 'the lock rises by four metres' },
  { document: 'keepers.md', fact: 'Anna Meer keeps the lock of this town' },
]

function rowWith(part: Partial<NonNullable<CanonicalRow['evidence']>>, gold = GOLD): CanonicalRow {
  const row = sampleRow()
  return { ...row, question: { ...row.question, gold }, evidence: { ...row.evidence!, ...part } }
}
const source = (document: string) => ({ title: document, document, snippet: '', score: null })

describe('the ranks of the gold facts of a cell', () => {
  it('follow the rule of the metrics: whatever the case and punctuation, and only in the document of the fact', () => {
    const contexts = ['Anna Meer keeps the lock of this town.', 'None.', 'The LOCK rises, by four metres!']
    const sources = [source('others.md'), source('keepers.md'), source('canal-locks.md')]
    expect(goldRanksOf({ row: rowWith({ contexts, sources }), cuts: [] })).toEqual([3, null])
  })

  it('are those of the passages that an engine reports as used, where there are no contexts', () => {
    const used = [{ ...source('keepers.md'), text: 'Anna Meer keeps the lock of this town' }]
    const row = rowWith({ contexts: [], sources: [], used_passages: used })
    expect(goldRanksOf({ row, cuts: [] })).toEqual([null, 1])
  })

  it('are unknown without passages of an answer-only approach, without an answer, and where passages are cut', () => {
    const bare = rowWith({ contexts: [], sources: [] })
    const answerOnly = { ...bare, approach: { ...bare.approach, evidence_capability: 'answer_only' as const } }
    expect(goldRanksOf({ row: answerOnly, cuts: [] })).toBeNull()
    // An approach that returns its passages found none.
    expect(goldRanksOf({ row: bare, cuts: [] })).toEqual([null, null])
    expect(goldRanksOf({ row: { ...bare, evidence: null }, cuts: [] })).toBeNull()
    const cut = { path: ['evidence', 'contexts', 0], kind: 'text' as const, kept: 10, total: 20 }
    expect(goldRanksOf({ row: rowWith({}), cuts: [cut] })).toBeNull()
    expect(goldRanksOf({ row: rowWith({}, []), cuts: [] })).toBeNull()
  })
})
