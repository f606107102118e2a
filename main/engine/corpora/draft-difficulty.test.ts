import { afterEach, expect, it } from 'vitest'
import { draftDifficulty, type DraftDifficulty } from './draft-difficulty.ts'
import { draftPower } from './draft-power.ts'

const PASSAGES = [
  { document: 'lock.md', text: '# Lock\n\nThe lock of Hallow opens at six.\n\nIts keeper is Ada Brand.' },
  { document: 'pilots.md', text: 'Ada Brand was trained by the pilots of Norrey.' },
]
let difficulty: DraftDifficulty
afterEach(() => difficulty.close())

it('a question is as hard as the rank by which keyword search has found all of its passages', () => {
  difficulty = draftDifficulty(PASSAGES)
  const opens = { document: 'lock.md', fact: 'The lock of Hallow opens at six.' }
  const trained = { document: 'pilots.md', fact: 'Ada Brand was trained by the pilots of Norrey.' }
  expect(difficulty.rankOf('When does the lock of Hallow open?', [opens])).toBe(1)
  expect(difficulty.rankOf('Who trained Brand, keeper of the lock of Hallow?', [opens, trained])).toBeGreaterThan(1)
  expect(difficulty.rankOf('Where is the ferry?', [opens])).toBeNull()
  expect(difficulty.rankOf('Where is the ferry?', [])).toBeNull()
})

it('the nearest paragraph of a question is named, and none where no word is shared', () => {
  difficulty = draftDifficulty(PASSAGES)
  expect(difficulty.nearest('Which keeper earns most?')).toEqual({
    document: 'lock.md',
    text: 'Its keeper is Ada Brand.',
  })
  expect(difficulty.nearest('Why?')).toBeNull()
})

const draft = (at: number) => ({
  id: `draft-${at}`,
  question: {
    query: `Question ${at}?`,
    ground_truth: 'x',
    answerable: true,
    hops: 1,
    gold: [{ document: `${at}.md`, fact: `Fact ${at}.` }],
    answer_keys: [],
    rationale: null,
    expect_winner: null,
    tags: [],
  },
  model: 'm',
  rules: false,
  repaired: false,
  drafted_at: '2026-01-01T00:00:00.000Z',
})

it('more ticked drafts decide smaller differences, and too few decide none', async () => {
  difficulty = draftDifficulty([])
  const drafts = Array.from({ length: 60 }, (_, at) => draft(at))
  const with_ = async (count: number) =>
    draftPower(
      [],
      drafts,
      drafts.slice(0, count).map(({ id }) => id),
      [],
    )
  expect((await with_(5)).planned_difference).toMatchObject({ alone: null, groups: 5 })
  const [few, many] = [await with_(24), await with_(60)]
  expect([few.questions, few.drafts]).toEqual([0, 24])
  expect(few.planned_difference.alone!).toBeGreaterThan(many.planned_difference.alone!)
  await expect(draftPower([], drafts, ['draft-99'], [])).rejects.toThrow('there is no draft draft-99')
})
