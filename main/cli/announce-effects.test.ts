import { describe, expect, it } from 'vitest'
import type { DeletionList, PublicationChange } from '../../contract/control/run-job.ts'
import { announceEffects } from './announce-effects.ts'

const evidence: DeletionList = {
  dataset_id: 'smoke',
  items: [
    { what: 'evidence', path: '/r/evidence.jsonl', size_bytes: 2100, rows: 3 },
    { what: 'human_round', path: '/r/human-round.json', size_bytes: 12, rows: null },
  ],
  keeps_external_collections: true,
}
const scope = { run_id: 'old', models: ['vanilla-rag'], questions: 2, repeats: 1, cells: 2, judged: true }
const replaced = (part: Partial<PublicationChange> = {}): PublicationChange => ({
  dataset_id: 'smoke',
  current: { ...scope, readable: true },
  next: { ...scope, run_id: 'r' },
  lost: [],
  refusal: null,
  ...part,
})

interface Case {
  deletions?: DeletionList[]
  publications?: PublicationChange[]
  ordered?: boolean
  /** Null: no person is at the terminal. */
  answer?: string | null
}

async function announce({ deletions = [], publications = [], ordered = false, answer = null }: Case) {
  const seen = { notified: [] as string[], asked: [] as string[] }
  const confirmed = await announceEffects({
    runId: 'r',
    effects: { deletions, publications },
    isResetOrdered: ordered,
    isPublishOrdered: ordered,
    ask:
      answer === null
        ? null
        : async (text) => {
            seen.asked.push(text)
            return answer
          },
    notify: (message) => void seen.notified.push(message),
  })
  return { ...seen, confirmed }
}

const LIST = `The cold reset of run r moves 3 finished answers and these files to the trash:
  smoke: evidence /r/evidence.jsonl (3 finished rows, 2.1 kB)
  smoke: human round /r/human-round.json (12 B)
  smoke: collections of the external platform are kept
"rag-ladder trash list" shows them for 30 days. --no-cold-reset keeps them and makes only what is missing.`

describe('announceEffects', () => {
  it('reports nothing where nothing would be lost', async () => {
    expect(await announce({})).toEqual({ notified: [], asked: [], confirmed: [] })
  })

  it('shows the whole list where the reset was ordered, or no person is at the terminal', async () => {
    for (const each of [{ ordered: true, answer: 'n' }, { ordered: false }])
      expect(await announce({ deletions: [evidence], ...each })).toEqual({
        notified: [LIST],
        asked: [],
        confirmed: [evidence],
      })
  })

  it('asks otherwise, and stops unless the answer is yes', async () => {
    const { asked } = await announce({ deletions: [evidence], answer: 'Yes' })
    expect(asked).toEqual([`${LIST}\nMove them to the trash? [y/N] `])
    await expect(announce({ deletions: [evidence], answer: '' })).rejects.toThrow('nothing was removed')
  })

  it('asks before published results are replaced, and stops unless the answer is yes', async () => {
    const { asked } = await announce({ publications: [replaced()], answer: 'y' })
    expect(asked[0]).toContain('run r (1 approach, 2 answers, judged) replaces the published results of run old')
    await expect(announce({ publications: [replaced()], answer: 'n' })).rejects.toThrow('give --no-publish')
  })

  it('refuses to replace wider results unasked, unless --publish was given', async () => {
    const publications = [replaced({ lost: ['the judgments'] })]
    await expect(announce({ publications })).rejects.toThrow('give --publish to replace them')
    expect((await announce({ publications, ordered: true })).notified[0]).toContain('without the judgments')
    expect((await announce({ publications: [replaced()] })).notified).toHaveLength(1)
  })

  it('stops before anything is asked when publishing is refused', async () => {
    const publications = [replaced({ refusal: 'Cannot publish smoke: …' })]
    await expect(announce({ publications, deletions: [evidence], answer: 'y' })).rejects.toThrow('Cannot publish smoke')
  })
})
