import { describe, expect, it } from 'vitest'
import { goldPassages } from './gold-passages.ts'

const TEXTS = {
  'lock.md':
    '# Lock\n\nThe lock opens at six. The keeper of the lock is Ada Brand.\n\n- A boat of class K3 pays 218 marks.\n',
  'museum.md': 'The museum opens at six too. Ada Brand paid 218 marks for its bell.\n',
  'stores.xlsx': '| item | count |\n|---|---|\n| Mooring rope | 38 |\n',
}

async function* documents() {
  for (const [document, text] of Object.entries(TEXTS)) yield { document, text }
}

/** The passage that is proposed, why there is none, or null where none is looked up. */
async function found(query: string, truth: string | null, more: object = {}) {
  const question = { query, ground_truth: truth, gold: [], answerable: true, ...more }
  const { passages, without } = await goldPassages([{ line: 2, question }], documents())
  expect(passages.length + without.length).toBeLessThanOrEqual(1)
  const [passage] = passages
  return passage === undefined ? (without[0]?.reason ?? null) : `${passage.document}: ${passage.fact}`
}

describe('the passage of an expected answer', () => {
  it.each([
    ['When does the museum open?', 'At six.', 'museum.md: The museum opens at six too.'],
    ['Who is the keeper of the lock?', 'Ada Brand', 'lock.md: The keeper of the lock is Ada Brand.'],
    ['What does class K3 pay?', '218 marks', 'lock.md: A boat of class K3 pays 218 marks.'],
    ['How many mooring ropes are there?', '38.', 'stores.xlsx: Mooring rope | 38'],
  ])('%s is the one that shares most words with the question', async (query, answer, passage) => {
    expect(await found(query, answer)).toBe(passage)
  })

  it('is proposed for no other word than those of the answer, nor where nothing of the question is in it', async () => {
    expect(await found('Who is the keeper of the lock?', 'Carl Brand')).toBe('answer_absent')
    expect(await found('What weighs the anchor?', '38')).toBe('passage_unclear')
    expect(await found('Who is the keeper of the lock?', null)).toBeNull()
  })

  it('is not looked up for a question that has gold facts, or that cannot be answered', async () => {
    const gold = [{ document: 'lock.md', fact: 'The lock opens at six.' }]
    expect(await found('When does the lock open?', 'At six.', { gold })).toBeNull()
    expect(await found('When does the lock open?', 'At six.', { answerable: false })).toBeNull()
  })

  it('is not found for a number that the documents write in letters', async () => {
    expect(await found('When does the lock open?', 'At 6')).toBe('answer_absent')
  })
})
