import { NO_ANSWER } from '../../../../../contract/prompts.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNoAnswer } from '../../prompts/answer-task.ts'
import { sentencesOf } from '../language/sentences.ts'
import { answerQuestion } from './answer-question.ts'

const TOWER = {
  title: 'Merrin Light',
  text: '# Merrin Light\n\nThe light stands on *Cape Merrin*. It was designed by **Ruth Hale** and lit in 1882. Gulls nest there. The keepers were paid in coal.',
}
const HALE = {
  title: 'Ruth Hale',
  text: 'Ruth Hale was born in Torvik in 1840. She studied under Otto Brandt, the bridge builder, and never married.',
}
const CODES = {
  title: 'Fault codes',
  text: 'Codes of the pump.\n\n| Code | Meaning | Action |\n|---|---|---|\n| E-4417 | Supply frequency out of range | Call the grid |\n| E-4471 | Barrier pressure low | Top up |\n',
}
const BEES = { title: 'Bees', text: 'Bees dance on the comb. The dance tells the way to nectar. Drones die in autumn.' }

const PASSAGES = [TOWER, HALE, CODES, BEES]

describe('answerQuestion', () => {
  it('answers from the sentence that holds the answer', () => {
    expect(answerQuestion({ question: 'Who designed the light on Cape Merrin?', passages: PASSAGES })).toContain(
      'It was designed by Ruth Hale and lit in 1882.',
    )
  })

  it('joins facts over a name that neither the question nor the answer shares', () => {
    const answer = answerQuestion({
      question: 'Under whom did the designer of Merrin Light study?',
      passages: PASSAGES,
    })
    expect(answer).toContain('Ruth Hale')
    expect(answer).toContain('Otto Brandt')
  })

  it('reads a table row with its headers', () => {
    const answer = answerQuestion({ question: 'What does E-4417 mean?', passages: PASSAGES })
    expect(answer).toContain('Code: E-4417; Meaning: Supply frequency out of range; Action: Call the grid.')
    expect(answer).not.toContain('E-4471')
  })

  it.each([
    ['What does E-4714 mean?', 'E-4714'],
    ['Where was Barnaby Quill born?', 'Barnaby Quill'],
  ])('refuses %s and reports what is missing', (question, missing) => {
    const answer = answerQuestion({ question, passages: PASSAGES })
    expect(isNoAnswer(answer)).toBe(true)
    expect(answer).toContain(missing)
  })

  it('refuses without passages', () => {
    expect(answerQuestion({ question: 'Why?', passages: [] })).toContain(NO_ANSWER)
  })

  it('answers with nothing but sentences of the passages, three at most, whatever is asked', () => {
    const words = PASSAGES.flatMap(({ text }) => text.split(/\s+/))
    const sources = new Set(
      PASSAGES.flatMap(({ text }) => sentencesOf(text).map((sentence) => sentence.text.replace(/\.$/, ''))),
    )
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }), (picked) => {
        const answer = answerQuestion({ question: `What about ${picked.join(' ')}?`, passages: PASSAGES })
        if (isNoAnswer(answer)) return
        let rest = answer
        let count = 0
        while (rest !== '') {
          const source = [...sources].filter((text) => rest.startsWith(text)).toSorted((a, b) => b.length - a.length)[0]
          expect(source, rest).toBeDefined()
          rest = rest.slice(source!.length).replace(/^\./, '').trimStart()
          count += 1
        }
        expect(count).toBeLessThanOrEqual(3)
      }),
    )
  })

  it('prefers the whole sentence to the piece that a chunk border left', () => {
    const cut = { title: 'Merrin Light', text: 'It was designed by Ruth Hale and' }
    const answer = answerQuestion({ question: 'Who designed Merrin Light?', passages: [cut, TOWER] })
    expect(answer.match(/designed by Ruth Hale/g)).toHaveLength(1)
    expect(answer).toContain('and lit in 1882.')
  })
})
