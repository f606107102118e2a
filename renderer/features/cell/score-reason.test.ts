import { expect, it } from 'vitest'
import { reasonLines } from './score-reason.ts'

it.each<[string, unknown, string[]]>([
  [
    'faithfulness',
    {
      statements: [
        { statement: 'It rains.', reason: 'said in 1', verdict: 1 },
        { statement: 'It snows.', reason: '', verdict: 0 },
      ],
      statements_omitted: 2,
    },
    ['● supported: It rains. (said in 1)', '○ not supported: It snows.', '2 statements more were not checked'],
  ],
  ['no statement', { statements: [] }, ['no statements']],
  [
    'answer relevancy',
    {
      questions: [
        { question: 'When?', noncommittal: 1, cosine: 0.0389 },
        { question: 'Where?', noncommittal: 0, cosine: null },
      ],
    },
    ['similarity 0.04: When? (evasive answer)', 'similarity –: Where?'],
  ],
  [
    'context precision',
    {
      contexts: [
        { index: 0, reason: 'names it', verdict: 1 },
        { index: 1, reason: null, verdict: 0 },
      ],
    },
    ['● context 1 is useful (names it)', '○ context 2 is not useful'],
  ],
  [
    'context recall',
    { statements: [{ statement: 'A.', reason: 'r', attributed: 0 }] },
    ['○ not in the contexts: A. (r)'],
  ],
  ['a sentence', 'because\nit is', ['because', 'it is']],
  ['nothing', undefined, []],
  [
    'another evaluator',
    { judge_note: { score: 3, words: 'fine' } },
    ['judge note › score: 3', 'judge note › words: fine'],
  ],
])('the reason of %s reads as lines, not as JSON', (_name, reason, lines) => expect(reasonLines(reason)).toEqual(lines))

it('lists equal lines once, with how often they occur', () => {
  const question = { question: 'Who was born in Dunmore?', cosine: 0.25, noncommittal: 0 }
  expect(reasonLines({ questions: [question, question, { ...question, cosine: 0.5 }] })).toEqual([
    'similarity 0.25: Who was born in Dunmore? (2 times)',
    'similarity 0.50: Who was born in Dunmore?',
  ])
})
