import { describe, expect, it } from 'vitest'
import { generateQuestions } from './generate-questions.ts'
import { attributeStatement, judgeStatement, judgeUsefulness } from './rule-judgements.ts'
import { splitStatements } from './statements.ts'

const CONTEXT =
  'LANTERNJAW is a 32-bit Windows backdoor of around 140 kilobytes. It cannot spread, encrypt or log keys. It was found in 2023 at two ports by Tessaline Research.'

describe('splitStatements', () => {
  it('cuts clauses and replaces pronouns that can only mean one name', () => {
    expect(
      splitStatements(
        'LANTERNJAW is a backdoor. It cannot spread, and the authors do not want it to. Ruth Hale built the tower; she died in 1899.',
      ),
    ).toEqual([
      'LANTERNJAW is a backdoor.',
      'LANTERNJAW cannot spread.',
      'The authors do not want it to.',
      'Ruth Hale built the tower.',
      'Ruth Hale died in 1899.',
    ])
  })

  it('leaves an unclear pronoun alone', () => {
    expect(splitStatements('Ruth Hale met Otto Brandt. It rained. They left.')).toEqual([
      'Ruth Hale met Otto Brandt.',
      'It rained.',
      'They left.',
    ])
  })

  it('finds no claim in a refusal', () => {
    expect(splitStatements('The passages do not answer this question. They do not mention Ruth Hale.')).toEqual([])
  })
})

describe('judgeStatement', () => {
  it.each([
    ['LANTERNJAW is a 32-bit Windows backdoor.', true, 'word for word'],
    ['LANTERNJAW was found at 2 ports in 2023.', true, 'covers'],
    ['LANTERNJAW is a 64-bit Windows backdoor.', false, '64'],
    ['LANTERNJAW can spread and encrypt keys.', false, 'other way'],
    ['Corvane Labs found LANTERNJAW at two ports.', false, 'Corvane Labs'],
    ['LANTERNJAW steals money from banks through invoices.', false, '%'],
    ['Bananas are yellow.', false, 'no context'],
  ])('judges "%s" %s', (statement, verdict, reason) => {
    const judged = judgeStatement(statement, ['Unrelated text on bridges.', CONTEXT])
    expect(judged).toEqual({ verdict, reason: expect.stringContaining(reason) as string })
  })

  it('supports nothing without contexts', () => {
    expect(judgeStatement('LANTERNJAW is a backdoor.', []).verdict).toBe(false)
  })
})

describe('reference judgements', () => {
  it('attributes a paraphrase and refuses another number', () => {
    expect(attributeStatement('The backdoor LANTERNJAW turned up at two ports in 2023.', [CONTEXT]).verdict).toBe(true)
    expect(attributeStatement('The backdoor LANTERNJAW turned up at nine ports.', [CONTEXT]).verdict).toBe(false)
  })

  it('calls a context useful when it holds what the reference adds', () => {
    const question = 'Who found LANTERNJAW?'
    expect(judgeUsefulness(question, CONTEXT, 'Tessaline Research found it.').verdict).toBe(true)
    expect(
      judgeUsefulness(question, 'LANTERNJAW is written about a lot.', 'Tessaline Research found it.').verdict,
    ).toBe(false)
  })
})

describe('generateQuestions', () => {
  it('turns sentences round', () => {
    const questions = generateQuestions('Hubert Booth built the machine in 1901. It was powered by petrol.', 4)
    expect(questions).toEqual([
      { question: 'Who built the machine in 1901?', noncommittal: false },
      { question: 'What was powered by petrol?', noncommittal: false },
      { question: 'When did Hubert Booth build the machine?', noncommittal: false },
      { question: 'What did Hubert Booth build the machine in 1901?', noncommittal: false },
    ])
  })

  it.each(['The passages do not answer this question.', 'I do not know.', 'The price is not mentioned in the text.'])(
    'calls "%s" noncommittal',
    (answer) => {
      const questions = generateQuestions(answer, 3)
      expect(questions).toHaveLength(3)
      expect(questions.every((question) => question.noncommittal)).toBe(true)
    },
  )

  it('asks nothing about nothing', () => {
    expect(generateQuestions('…', 3)).toEqual([])
  })
})
