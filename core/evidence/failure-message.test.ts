import { describe, expect, it } from 'vitest'
import { cutText, unavailableByReason, withoutRepeatedRemedy } from './failure-message.ts'

const CAUSE = "the extraction model's reply cannot be used: the reply holds no JSON object"
const REMEDY = 'choose another model for graph_extract and start a new run'

describe('withoutRepeatedRemedy', () => {
  it('names a remedy once where the model and the run name the same', () => {
    expect(withoutRepeatedRemedy(`${CAUSE}. Choose another model for graph_extract; ${REMEDY}`)).toBe(
      `${CAUSE}; ${REMEDY}`,
    )
    expect(
      withoutRepeatedRemedy(`${CAUSE}. Choose another model for graph_extract. To measure them too, ${REMEDY}`),
    ).toBe(`${CAUSE}. To measure them too, ${REMEDY}`)
  })

  it('keeps a remedy that is named once, or for another role', () => {
    for (const message of [
      `${CAUSE}. Choose another model for graph_extract`,
      `${CAUSE}. Choose another model for graph_keyword; ${REMEDY}`,
    ])
      expect(withoutRepeatedRemedy(message)).toBe(message)
  })
})

describe('unavailableByReason', () => {
  it('puts approaches with the same reason together', () => {
    const of = (model: string, reason: string) => ({ model, reason })
    expect(unavailableByReason([of('graph-rag', 'a'), of('tree-rag', 'b'), of('agentic-rag', 'a')])).toEqual([
      { models: ['graph-rag', 'agentic-rag'], reason: 'a' },
      { models: ['tree-rag'], reason: 'b' },
    ])
  })
})

describe('cutText', () => {
  it('ends after a sentence, else after a word, and marks what is missing', () => {
    expect(cutText('One two. Three four', 40)).toBe('One two. Three four')
    expect(cutText('One two three. To measure them too', 20)).toBe('One two three. …')
    expect(cutText('One two three four five six', 20)).toBe('One two three four…')
  })
})
