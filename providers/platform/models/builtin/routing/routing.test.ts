import { describe, expect, it } from 'vitest'
import { accuracyOf, routeQuestions } from '../../../../../tests/bench/routing.bench.ts'
import { chooseRoute } from './choose-route.ts'
import { questionShape } from './question-shape.ts'
import { splitKeywords } from './split-keywords.ts'

const routes = [
  { name: 'vector', description: 'Dense search by meaning: one fact, told in other words.' },
  { name: 'keyword', description: 'Keyword search: exact names, codes and part numbers.' },
  { name: 'graph', description: 'Relations between entities over several hops.' },
]

describe('chooseRoute', () => {
  it.each([
    ['Why does dough rise without baker’s yeast?', 'vector'],
    ['What does E-4417 mean on the pump?', 'keyword'],
    ['Who married the founder of the bank that paid for the Merrin Expedition?', 'graph'],
  ])('sends "%s" to %s', (question, expected) => {
    const choice = chooseRoute({ question, routes })
    expect(choice?.route).toBe(expected)
    expect(choice?.reason).not.toBe('')
  })

  it('takes the first route when none describes its strength, and none when there is none', () => {
    expect(
      chooseRoute({
        question: 'Why?',
        routes: [
          { name: 'a', description: '' },
          { name: 'b', description: '' },
        ],
      })?.route,
    ).toBe('a')
    expect(chooseRoute({ question: 'Why?', routes: [] })).toBeNull()
  })
})

/** The routes as the workflow describes them. */
const adaptive = [
  ['single-fact', 'One fact told in a single passage, asked for in words of its own: found by meaning.'],
  ['exact-term', 'An exact code, identifier, number or rare term that a keyword search must match.'],
  [
    'context-bound',
    'A passage that is ambiguous without the context of its document, such as one that speaks by a pronoun.',
  ],
  [
    'linked-entities',
    'Entities and the relations that link them: who is connected to whom, over one or two hops of a graph.',
  ],
  [
    'several-steps',
    'Several searches one after the other, each for what the last one found, or things to be compared.',
  ],
].map(([name, description]) => ({ name: name!, description: description! }))

it.each([
  ['Why do leaves turn red before they fall?', 'single-fact'],
  ['What keeps a soap bubble from bursting at once?', 'single-fact'],
  ['Which torque does bolt M12-880 need?', 'exact-term'],
  ['When was Pembroke Dairy founded?', 'exact-term'],
  ['Who painted the portrait of the founder of Pembroke Dairy?', 'linked-entities'],
  ['Where was the composer who wrote the Marsh Symphony born?', 'linked-entities'],
  ['Which city holds the archive that the widow of the founder of Pembroke Dairy gave away?', 'several-steps'],
  ['Who taught the brother of the pilot rescued from the Osprey?', 'several-steps'],
  ['Was Pembroke Dairy larger than Ostler Creamery, or is the difference small?', 'several-steps'],
])('chooseRoute among the routes of the workflow sends "%s" to %s', (question, expected) => {
  expect(chooseRoute({ question, routes: adaptive })?.route).toBe(expected)
})

describe('200 labelled questions of many domains', async () => {
  const questions = await routeQuestions()

  it.each([
    ['development', false, 0.85],
    ['held-back', true, 0.88],
  ])('are sent to their routes: %s half', (_, heldBack, least) => {
    const half = questions.filter((question) => question.heldBack === heldBack)
    expect(half).toHaveLength(100)
    const wrong = half.filter(({ chosen, route }) => chosen !== route)
    expect(accuracyOf(half), heldBack ? '' : JSON.stringify(wrong)).toBeGreaterThanOrEqual(least)
  })
})

it.each([
  ['Where is Merrin Light?', 1],
  ['Who was the first captain of the Osprey?', 1],
  ['From which quarry did the steps of the Merrin Light come?', 1],
  ['Does the manual say that engineers may open the valve?', 1],
  ['Who owned the ship that rescued the crew of the Corisande?', 2],
  ['What did the sister of Ada Merrin publish?', 2],
  ['Which village bought the bell forged by Jon Harker?', 2],
  ['Who employed whoever sold the Merrin papers?', 2],
  ['Who employed the man who sold the papers found in Merrin Light?', 3],
  ['Which prize went to the daughter of the woman who designed the Osprey?', 3],
])('questionShape: "%s" joins %d facts', (question, hops) => {
  expect(questionShape(question).hops).toBe(hops)
})

it('splitKeywords puts names, quotations, codes and rare things low, themes and verbs high', () => {
  expect(
    splitKeywords({
      question: 'Which company supplied the gravimeter PX-220B to Ruth Hale in 1934, per the "Green Log"?',
    }),
  ).toEqual({
    high_level: ['company', 'supplied'],
    low_level: ['PX-220B', 'Ruth Hale', '1934', 'Green Log', 'gravimeter'],
  })
})
