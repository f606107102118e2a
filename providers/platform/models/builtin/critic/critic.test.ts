import { describe, expect, it } from 'vitest'
import { ruleJudgements } from './rule-judgements.ts'

const { splitStatements, judgeStatement, attributeStatement, judgeUsefulness, generateQuestions } = ruleJudgements

const CONTEXT =
  'LANTERNJAW is a 32-bit Windows backdoor of around 140 kilobytes. It cannot spread, encrypt or log keys. It was found in 2023 at 2 ports by Tessaline Research.'

describe('statements of an answer', () => {
  it('are its sentences', () => {
    expect(splitStatements('# Ruth Hale\n\nRuth Hale built the tower. She died in 1899.')).toEqual([
      'Ruth Hale built the tower.',
      'She died in 1899.',
    ])
  })

  it('are none of a refusal', () => {
    expect(splitStatements('The passages do not answer this question. They do not mention Ruth Hale.')).toEqual([])
  })
})

describe('a statement', () => {
  it.each([
    ['LANTERNJAW is a 32-bit Windows backdoor.', true, 'covers'],
    ['LANTERNJAW was found at 2 ports in 2023.', true, 'covers'],
    ['LANTERNJAW is a backdoor of around 150 kilobytes.', false, '150'],
    ['Corvane Labs found LANTERNJAW at two ports.', false, 'Corvane Labs'],
    ['LANTERNJAW steals money from banks through invoices.', false, '%'],
    ['Bananas are yellow.', false, 'no context'],
  ])('"%s" is supported: %s', (statement, verdict, reason) => {
    const judged = judgeStatement(statement, ['Unrelated text on bridges.', CONTEXT])
    expect(judged).toEqual({ verdict, reason: expect.stringContaining(reason) as string })
  })

  it('that denies what no context denies is not supported', () => {
    expect(judgeStatement('The bridge is not old.', ['The bridge is old.']).verdict).toBe(false)
  })

  it('without contexts is not supported', () => {
    expect(judgeStatement('LANTERNJAW is a backdoor.', []).verdict).toBe(false)
  })
})

describe('a reference', () => {
  it('is attributed in other words, but not with another number', () => {
    expect(attributeStatement('The backdoor LANTERNJAW turned up at 2 ports in 2023.', [CONTEXT]).verdict).toBe(true)
    expect(attributeStatement('The backdoor LANTERNJAW turned up at 9 ports.', [CONTEXT]).verdict).toBe(false)
  })

  it('makes a context useful that holds what it adds to the question', () => {
    const question = 'Who found LANTERNJAW?'
    expect(judgeUsefulness(question, CONTEXT, 'Tessaline Research found it.').verdict).toBe(true)
    const other = 'LANTERNJAW is written about a lot.'
    expect(judgeUsefulness(question, other, 'Tessaline Research found it.').verdict).toBe(false)
  })
})

describe('questions of an answer', () => {
  it('are its sentences, repeated where they are too few', () => {
    const questions = generateQuestions('Hubert Booth built the machine in 1901. It was powered by petrol.', 3)
    expect(questions.map(({ question }) => question)).toEqual([
      'Hubert Booth built the machine in 1901.',
      'It was powered by petrol.',
      'Hubert Booth built the machine in 1901.',
    ])
    expect(questions.every(({ noncommittal }) => !noncommittal)).toBe(true)
  })

  it.each(['The passages do not answer this question.', 'I do not know.'])('are noncommittal for "%s"', (answer) => {
    const questions = generateQuestions(answer, 3)
    expect(questions).toHaveLength(3)
    expect(questions.every(({ noncommittal }) => noncommittal)).toBe(true)
  })

  it('are none without words', () => {
    expect(generateQuestions('…', 3)).toEqual([])
  })
})
