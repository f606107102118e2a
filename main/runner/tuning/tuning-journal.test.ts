import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import type { TrialFigures, TuningPlan } from '../../../contract/evidence/tuning.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { openTuningJournal } from './tuning-journal.ts'

const PLAN: TuningPlan = {
  dataset: 'notes',
  alias: 'hybrid-rag',
  metric: 'facts_found',
  context_budget: 500,
  answers: false,
  search: 'grid',
  seed: '1',
  tuned: ['alpha'],
  settings: [{ alpha: 0.5 }, { alpha: 1 }],
  parameters: { alpha: 0.5 },
  rounds: [['q1', 'q2']],
  holdout: ['q3'],
  questions_sha256: 'a'.repeat(64),
  corpus_digest: 'digest',
  models: {},
}
const figures = (score: number | null): TrialFigures => ({
  scores: [score, 1],
  tokens: [score, 500],
  seconds: [score, 0.1],
  failed: score === null ? 1 : 0,
  failure: score === null ? 'q1: no service' : null,
  calls: { questions: 2, embedded: 2, reranked: 0, chats: 0 },
  wall_ms: 10,
})

describe('the journal of a tuning', () => {
  it('keeps finished trials over openings, and makes again what failed', async () => {
    const folder = await temporaryFolder()
    const first = await openTuningJournal(folder, 'mine', PLAN)
    await first.addTrial(0, 0, figures(0.5))
    await first.addTrial(1, 0, figures(null))
    await first.addHoldout(1, figures(1))
    expect(first.trial(1, 0)).toMatchObject({ failed: 1 })
    await first.close()
    const second = await openTuningJournal(folder, 'mine', PLAN)
    expect(second.trial(0, 0)).toEqual(figures(0.5))
    expect(second.trial(1, 0)).toBeUndefined()
    expect(second.holdout(1)).toEqual(figures(1))
    await second.addTrial(1, 0, figures(0.25))
    await second.close()
    const third = await openTuningJournal(folder, 'mine', PLAN)
    expect(third.trial(1, 0)).toEqual(figures(0.25))
    await third.close()
  })

  it('refuses another plan and names what differs, and a second process', async () => {
    const folder = await temporaryFolder()
    const open = await openTuningJournal(folder, 'mine', PLAN)
    await expect(openTuningJournal(folder, 'mine', PLAN)).rejects.toMatchObject({ code: 'tuning_in_use' })
    await open.close()
    await expect(
      openTuningJournal(folder, 'mine', { ...PLAN, corpus_digest: 'other', context_budget: 900 }),
    ).rejects.toThrow(
      'the tuning mine was started with other context budget, corpus digest: repeat its command, or name another with --name',
    )
    nameButtonsInRemedies()
    onTestFinished(() => nameButtonsInRemedies(false))
    await expect(openTuningJournal(folder, 'mine', { ...PLAN, corpus_digest: 'other' })).rejects.toThrow(
      'the tuning mine was started with other corpus digest: choose as it was started, or start another tuning',
    )
  })

  it('moves an unfinished line aside and refuses a changed one', async () => {
    const folder = await temporaryFolder()
    const first = await openTuningJournal(folder, 'mine', PLAN)
    await first.addTrial(0, 0, figures(0.5))
    await first.close()
    const file = join(folder, 'trials.jsonl')
    await appendFile(file, '{"kind":"trial","at"')
    const second = await openTuningJournal(folder, 'mine', PLAN)
    expect(second.trial(0, 0)).toEqual(figures(0.5))
    await second.close()
    await writeFile(file, (await readFile(file, 'utf8')).replace('"scores":[0.5', '"scores":[0.9'))
    await expect(openTuningJournal(folder, 'mine', PLAN)).rejects.toMatchObject({ code: 'tuning_damaged' })
  })
})
