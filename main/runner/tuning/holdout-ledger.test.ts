import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LedgerLine } from '../../../contract/evidence/tuning.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import {
  HOLDOUT_LEDGER,
  knownIn,
  openHoldout,
  openingsBefore,
  readLedger,
  recordSplit,
  splitBy,
} from './holdout-ledger.ts'
import { ledgerQuestion } from './known-questions.ts'

const NOW = new Date('2026-11-29T00:00:00Z')
interface Asked {
  query?: string
  fact?: string
}
/** A question that is about the number in its id, unless it is edited. */
const question = (id: string, { query = `What is ${id}?`, fact = `${id} is a fact` }: Asked = {}) => ({
  cluster: id,
  ...ledgerQuestion({ id, query, ground_truth: null, answer_keys: [], gold: [{ document: 'd.md', fact }] }),
})
const questions = (count: number) => Array.from({ length: count }, (_, at) => question(`q${at}`))
const wish = (count: number, more: object = {}) => ({
  dataset: 'notes',
  questions: questions(count),
  seed: '1',
  share: 0.5,
  now: NOW,
  ...more,
})
const opening = (tuning: string, more: object = {}) => ({
  dataset: 'notes',
  tuning,
  alias: 'hybrid-rag',
  winner: { alpha: 0.2 },
  metric: 'facts_found',
  questions: [question('q1'), question('q2')],
  ...more,
})

describe('the ledger of holdouts', () => {
  it('counts openings of any tuning that share a question, and a tuning that is resumed once', async () => {
    const root = await temporaryFolder()
    expect(await openHoldout(root, opening('first'), NOW)).toBe(1)
    expect(await openHoldout(root, opening('second'), NOW)).toBe(2)
    expect(await openHoldout(root, opening('third', { questions: [question('q2'), question('q9')] }), NOW)).toBe(3)
    expect(await openHoldout(root, opening('second'), NOW)).toBe(2)
    expect(await openHoldout(root, opening('second', { winner: { alpha: 0.9 } }), NOW)).toBe(4)
    expect(await openHoldout(root, opening('second', { metric: 'mrr_at_10' }), NOW)).toBe(5)
    expect(await openHoldout(root, opening('elsewhere', { questions: [question('q7')] }), NOW)).toBe(1)
    expect(await openHoldout(root, opening('first', { dataset: 'others' }), NOW)).toBe(1)
    expect((await readLedger(root)).filter(({ kind }) => kind === 'opening')).toHaveLength(7)
  })

  it('keeps the side of each question for ever, whatever seed and share a later tuning has', async () => {
    const root = await temporaryFolder()
    const first = await recordSplit(root, wish(40))
    expect(first.holdout).toHaveLength(20)
    expect(await recordSplit(root, wish(40, { seed: '2', share: 0.2 }))).toEqual(first)
    expect(await readLedger(root)).toHaveLength(1)
    const grown = await recordSplit(root, wish(60))
    expect(grown.holdout).toEqual(expect.arrayContaining(first.holdout))
    expect(grown.development).toEqual(expect.arrayContaining(first.development))
    expect(await readLedger(root)).toHaveLength(2)
    // Without the ledger the split would be another one.
    expect(splitBy([], wish(40, { seed: '2' })).holdout).not.toEqual(first.holdout)
  })

  it('notices a question that was edited or replaced after it was divided, and not its punctuation', async () => {
    const root = await temporaryFolder()
    await recordSplit(root, wish(10))
    const changeOf = async (...edited: Parameters<typeof question>) =>
      knownIn(await readLedger(root), 'notes').changeOf(question(...edited))
    expect(await changeOf('q1')).toBeNull()
    expect(await changeOf('q1', { query: 'what is  Q1' })).toBeNull()
    expect(await changeOf('q1', { query: 'Who is q1?' })).toBe('text')
    expect(await changeOf('q1', { fact: 'another' })).toBe('evidence')
    expect(await changeOf('q1', { query: 'Who is q1?', fact: 'another' })).toBe('replaced')
    expect(await changeOf('new')).toBeNull()
    // A later tuning records the edited ones; the first ones stay those that were sealed.
    await recordSplit(root, wish(10, { questions: [question('q1', { query: 'Who is q1?' })] }))
    expect(await changeOf('q1', { query: 'Who is q1?' })).toBe('text')
    expect(await readLedger(root)).toHaveLength(2)
  })

  it('holds out no question whose words a trial has seen under another id', async () => {
    const root = await temporaryFolder()
    const { development, holdout } = await recordSplit(root, wish(20))
    const moved = wish(20, {
      questions: [
        question(holdout[0]!, { query: `What is ${development[0]!}?` }),
        question('new', { query: `What is ${development[1]!}?` }),
      ],
    })
    expect(splitBy(await readLedger(root), moved)).toMatchObject({ development: [holdout[0]!, 'new'], holdout: [] })
  })

  it('counts an opening for an edited question and for a renamed one, not for one that was replaced', async () => {
    const root = await temporaryFolder()
    const one = (...edited: Parameters<typeof question>) => ({ questions: [question(...edited)] })
    expect(await openHoldout(root, opening('first', one('q1')), NOW)).toBe(1)
    expect(await openHoldout(root, opening('edited', one('q1', { query: 'Who is q1?' })), NOW)).toBe(2)
    expect(await openHoldout(root, opening('renamed', one('q8', { query: 'What is q1?' })), NOW)).toBe(2)
    expect(await openHoldout(root, opening('replaced', one('q1', { query: 'A new one', fact: 'new' })), NOW)).toBe(1)
  })

  it('reads a ledger of ids alone, and keeps the digests from then on', () => {
    const head = { at: '', dataset: 'notes' }
    const split = { ...head, seed: '1', share: 0.5, development: ['q0'], holdout: ['q1'] }
    const look = { tuning: 'old', alias: 'hybrid-rag', winner: {}, metric: 'facts_found' }
    const old: LedgerLine[] = [
      { kind: 'split', ...split },
      { kind: 'opening', ...head, ...look, questions: ['q1'] },
    ]
    const known = knownIn(old, 'notes')
    const held = question('q1')
    expect([known.sideOf(held), known.changeOf(held), known.has(held)]).toEqual(['holdout', null, false])
    expect(splitBy(old, wish(2))).toMatchObject({ development: ['q0'], holdout: ['q1'], isRecorded: false })
    const edited = question('q1', { query: 'Another?', fact: 'another' })
    expect(openingsBefore(old, opening('new', { questions: [edited] }))).toHaveLength(1)
  })

  it('writes no line that could not be read again', async () => {
    const root = await temporaryFolder()
    await expect(openHoldout(root, opening('no name'), NOW)).rejects.toThrow()
    expect(await openHoldout(root, opening('first'), NOW)).toBe(1)
  })

  it('refuses a changed line, with its place and what to do, and moves a torn one aside', async () => {
    const root = await temporaryFolder()
    await openHoldout(root, opening('first'), NOW)
    const file = join(root, HOLDOUT_LEDGER)
    await appendFile(file, '{"kind":"opening","da')
    expect(await openHoldout(root, opening('second'), NOW)).toBe(2)
    await writeFile(file, (await readFile(file, 'utf8')).replace('"first"', '"other"'))
    await expect(openHoldout(root, opening('third'), NOW)).rejects.toThrow(
      'tuning/holdouts.jsonl:1: the line is not the one that was written',
    )
    await expect(readLedger(root)).rejects.toMatchObject({ code: 'tuning_damaged' })
  })
})
