import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { HOLDOUT_LEDGER, openHoldout, readLedger, recordSplit, splitBy } from './holdout-ledger.ts'

const NOW = new Date('2026-11-29T00:00:00Z')
const questions = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `q${at}`, cluster: `q${at}` }))
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
  questions: ['q1', 'q2'],
  ...more,
})

describe('the ledger of holdouts', () => {
  it('counts openings of any tuning that share a question, and a tuning that is resumed once', async () => {
    const root = await temporaryFolder()
    expect(await openHoldout(root, opening('first'), NOW)).toBe(1)
    expect(await openHoldout(root, opening('second'), NOW)).toBe(2)
    expect(await openHoldout(root, opening('third', { questions: ['q2', 'q9'] }), NOW)).toBe(3)
    expect(await openHoldout(root, opening('second'), NOW)).toBe(2)
    expect(await openHoldout(root, opening('second', { winner: { alpha: 0.9 } }), NOW)).toBe(4)
    expect(await openHoldout(root, opening('second', { metric: 'mrr_at_10' }), NOW)).toBe(5)
    expect(await openHoldout(root, opening('elsewhere', { questions: ['q7'] }), NOW)).toBe(1)
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
