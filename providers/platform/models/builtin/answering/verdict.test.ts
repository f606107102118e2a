import { describe, expect, it } from 'vitest'
import { isNoAnswer } from '../../prompts/answer-task.ts'
import { sentencesOf } from '../language/sentences.ts'
import { answerQuestion } from './answer-question.ts'

const passages = (...texts: string[]) =>
  texts.map((text) => ({ title: text.split(/ (?:is|was|were|are|has|began) /)[0]!.replace(/ \(.*/, ''), text }))

describe('a comparison', () => {
  it.each([
    [
      'Which was founded first, Ostler Creamery or Pembroke Dairy?',
      [
        'Ostler Creamery was founded in 1911 by two brothers.',
        'Pembroke Dairy was founded in 1887. It was sold in 1950.',
      ],
      'Pembroke Dairy.',
    ],
    [
      'Who is older, Tomas Rehn or Ilse Varga?',
      ['Tomas Rehn (born 4 May 1961) is a Danish actor.', 'Ilse Varga (born 12 March 1958) is a Hungarian director.'],
      'Ilse Varga.',
    ],
    [
      'Who was born later, Ada Corrin or Jon Vell?',
      ['Ada Corrin (1802 – 1866) was a surgeon.', 'Jon Vell (1799 – 1871) was a chemist.'],
      'Ada Corrin.',
    ],
    [
      'Which river is longer, the Arva or the Sell?',
      [
        'The Arva is a river of the north. It is 312 km long.',
        'The Sell is 287 kilometres long and rises in the hills.',
      ],
      'Arva.',
    ],
    [
      'Which stadium has fewer seats, Northgate or Milton Park?',
      ['Northgate has 41,000 seats.', 'Milton Park was rebuilt in 1999 and has 38,500 seats.'],
      'Milton Park.',
    ],
    ['Is the Arva longer than the Sell?', ['The Arva is 312 km long.', 'The Sell is 287 km long.'], 'Yes.'],
    [
      'Was the Treaty of Rask signed before the Treaty of Odel?',
      ['The Treaty of Rask was signed in 1721.', 'The Treaty of Odel was signed in 1699.'],
      'No.',
    ],
    [
      'Which cheese received its label earlier, Comté or Beaufort?',
      ['Comté is a cheese of the Jura. It received its label in 1958.', 'Beaufort received its label in 1968.'],
      'Comté.',
    ],
    [
      'Which was described first, Apis dorsata or Apis florea?',
      ['Apis dorsata was described in 1793 by Fabricius.', 'Apis florea was described in 1787 by Fabricius.'],
      'Apis florea.',
    ],
    [
      'Was Apis florea described before Apis dorsata?',
      ['Apis dorsata was described in 1793 by Fabricius.', 'Apis florea was described in 1787 by Fabricius.'],
      'Yes.',
    ],
    [
      'Was Hadley v Baxendale decided before Donoghue v Stevenson?',
      ['Hadley v Baxendale was decided in 1854.', 'Donoghue v Stevenson was decided in 1932.'],
      'Yes.',
    ],
    [
      'Which case is older, Hadley v Baxendale or Donoghue v Stevenson?',
      ['Hadley v Baxendale began in 1854.', 'Donoghue v Stevenson began in 1932.'],
      'Hadley v Baxendale.',
    ],
  ])('is decided by both values: %s', (question, texts, verdict) => {
    const answer = answerQuestion({ question, passages: passages(...texts) })
    expect(answer.startsWith(`${verdict} `), answer).toBe(true)
  })

  it.each([
    [
      'one value is missing',
      'Which was founded first, Ostler Creamery or Pembroke Dairy?',
      ['Ostler Creamery was founded in 1911.', 'Pembroke Dairy was sold in 1950.'],
    ],
    [
      'the values are equal',
      'Which was founded first, Ostler Creamery or Pembroke Dairy?',
      ['Ostler Creamery was founded in 1911.', 'Pembroke Dairy was founded in 1911.'],
    ],
    [
      'the units differ',
      'Which river is longer, the Arva or the Sell?',
      ['The Arva is 312 km long.', 'The Sell is 287 miles long.'],
    ],
    [
      'the texts disagree',
      'Which was founded first, Ostler Creamery or Pembroke Dairy?',
      [
        'Ostler Creamery was founded in 1911. Others write that Ostler Creamery was founded in 1880.',
        'Pembroke Dairy was founded in 1887.',
      ],
    ],
    [
      'two values are needed for each',
      'Who lived longer, Ada Corrin or Jon Vell?',
      ['Ada Corrin (1802 – 1866) was a surgeon.', 'Jon Vell (1799 – 1871) was a chemist.'],
    ],
  ])('has no verdict where %s', (_, question, texts) => {
    const answer = answerQuestion({ question, passages: passages(...texts) })
    expect(answer).not.toMatch(/^(?:Yes|No|Arva|Sell|Ostler Creamery|Pembroke Dairy|Ada Corrin|Jon Vell)\. /)
  })
})

describe('a choice between two things', () => {
  it.each([
    ['Was Ada Corrin a surgeon or a chemist?', ['Ada Corrin was a surgeon in Leith.'], 'surgeon.'],
    [
      'Who wrote the opera Halka Doran, Brandt or Moreno?',
      ['The opera Halka Doran was written by Moreno in 1870.', 'Brandt taught in Bonn.'],
      'Moreno.',
    ],
    [
      'Is the contract of sale governed by civil law or maritime law?',
      ['The contract of sale is governed by maritime law.'],
      'maritime law.',
    ],
  ])('is decided by a sentence that holds one of them: %s', (question, texts, verdict) => {
    expect(answerQuestion({ question, passages: passages(...texts) }).toLowerCase()).toMatch(
      new RegExp(`^${verdict.toLowerCase()} `),
    )
  })

  it('has no verdict where both are stated', () => {
    const question = 'Was Ada Corrin a surgeon or a chemist?'
    const answer = answerQuestion({
      question,
      passages: passages('Ada Corrin was a surgeon in Leith. Ada Corrin was a chemist in Bonn.'),
    })
    expect(answer).not.toMatch(/^(?:a )?(?:surgeon|chemist)\. /i)
  })
})

describe('a question for yes or no', () => {
  it.each([
    ['Does Velorin lower blood pressure?', ['Velorin lowers blood pressure in adults.'], 'Yes.'],
    ['Did Brandt teach Moreno?', ['Moreno was taught by Brandt in Bonn.'], 'Yes.'],
    ['Can the seller cancel the contract?', ['The seller cannot cancel the contract.'], 'No.'],
    [
      'Were Brandt and Moreno of the same nationality?',
      ['Brandt was a German composer.', 'Moreno was a Spanish composer.'],
      'No.',
    ],
    [
      'Are Brandt and Moreno both composers?',
      ['Brandt was a German composer.', 'Moreno was a Spanish composer.'],
      'Yes.',
    ],
    ['Does the dough rest overnight in the cold?', ['The dough rests overnight in the cold.'], 'Yes.'],
  ])('is answered by a sentence that states it: %s', (question, texts, verdict) => {
    const answer = answerQuestion({ question, passages: passages(...texts) })
    expect(answer.startsWith(`${verdict} `), answer).toBe(true)
  })

  it.each([
    ['is only possible', 'Does Velorin lower blood pressure?', ['Velorin may lower blood pressure in adults.']],
    ['is turned round', 'Did Brandt teach Moreno?', ['Moreno taught Brandt in Bonn.']],
    ['is only claimed', 'Did Moreno win the prize?', ['Brandt denied that Moreno won the prize.']],
    [
      'has a condition',
      'Can the seller cancel the contract?',
      ['The seller can cancel the contract only if the buyer fails to pay.'],
    ],
    [
      'is about something else',
      'Is Velorin safe for children?',
      ['Velorin is a drug for adults. It was tested on children.'],
    ],
    [
      'is stated for one of both',
      'Are Brandt and Moreno both composers?',
      ['Brandt was a German composer.', 'Moreno was a Spanish painter.'],
    ],
    [
      'is denied in a part',
      'Does Velorin lower blood pressure?',
      ['Velorin lowers blood pressure, but not in children.'],
    ],
    [
      'is denied elsewhere',
      'Does Velorin lower blood pressure?',
      ['Velorin lowers blood pressure.', 'Velorin does not lower blood pressure.'],
    ],
  ])('has no verdict where it %s', (_, question, texts) => {
    expect(answerQuestion({ question, passages: passages(...texts) })).not.toMatch(/^(?:Yes|No)\b/)
  })

  it('is refused where its subject is missing', () => {
    const answer = answerQuestion({
      question: 'Did Barnaby Quill win the prize?',
      passages: passages('Moreno won the prize in 1870.'),
    })
    expect(isNoAnswer(answer)).toBe(true)
  })
})

describe('the length of an answer', () => {
  const texts = [
    'The Corisande sailed from Leith in 1870.',
    'The owner of the Corisande was Ada Corrin.',
    'Ada Corrin married the surgeon Jon Vell.',
    'Jon Vell studied under Otto Brandt in Bonn.',
    'Otto Brandt published the Atlas of Bones.',
  ]

  it('is three whole sentences at most', () => {
    const question =
      'What was published by the teacher of the surgeon who married the owner of the ship that sailed from Leith in 1870?'
    const answer = answerQuestion({ question, passages: passages(...texts) })
    const sentences = sentencesOf(answer).map(({ text }) => text)
    expect(sentences.length).toBeLessThanOrEqual(3)
    for (const sentence of sentences) expect(texts).toContain(sentence)
  })
})

describe('statements of a knowledge graph', () => {
  it('are quoted without the link that introduces them', () => {
    const answer = answerQuestion({
      question: 'What did Ada Corrin found?',
      passages: [
        {
          title: 'Relations',
          text: 'Ada Corrin – founded, school – Leith Academy: She founded it in 1880.\nJon Vell – visited – Leith.',
        },
      ],
    })
    expect(answer).toBe('She founded it in 1880.')
  })

  it('keep dashes and colons that are their own', () => {
    const text = 'The museum – opened in 1901 – has three halls: coins, maps and bones.'
    expect(answerQuestion({ question: 'Which halls has the museum?', passages: [{ title: 'Museum', text }] })).toBe(
      text,
    )
  })
})
