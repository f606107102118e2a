import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Prompt } from '../../../../contract/prompts.ts'
import type { ReferenceState } from './critic.ts'

/** A judgement to ask of a chat model: what to do, the shape of its reply, and one worked example. */
export interface CriticTask<Reply> extends Prompt {
  shape: z.ZodType<Reply>
  example: { input: object; reply: object }
}

const YES = ['1', 'true', 'yes', 'supported', 'useful']
const NO = ['0', 'false', 'no', 'unsupported', 'useless']

function asFlag(value: unknown): unknown {
  const word = typeof value === 'boolean' || typeof value === 'number' ? String(value) : value
  if (typeof word !== 'string') return value
  const lower = word.trim().toLowerCase()
  return YES.includes(lower) ? 1 : NO.includes(lower) ? 0 : value
}

/** 1 or 0, also where a model writes it as a word or a boolean. */
const flag = z.preprocess(asFlag, z.literal([0, 1]))
const sentence = z.string().trim().min(1)
const reason = z.string().trim()

export const splitTask: CriticTask<{ statements: string[] }> = {
  name: 'statements',
  version: 1,
  source: 'this project; the step of Ragas 0.4.3 that generates statements (arXiv 2309.15217)',
  instructions: [
    'Break the answer into its separate factual claims.',
    'Write each claim as one short sentence that can be understood without the others: put names in the place of pronouns,',
    'using the question where the answer leaves them out. Add nothing and judge nothing.',
    'An answer that claims nothing, such as a refusal, gives an empty list.',
  ],
  shape: z.object({ statements: z.array(sentence) }),
  example: {
    input: {
      question: 'Who built the Ternmouth lighthouse, and when?',
      answer: 'Ada Brill built it. She finished in 1871, and it was lit with colza oil.',
    },
    reply: {
      statements: [
        'Ada Brill built the Ternmouth lighthouse.',
        'Ada Brill finished the Ternmouth lighthouse in 1871.',
        'The Ternmouth lighthouse was lit with colza oil.',
      ],
    },
  },
}

export const refusalTask: CriticTask<{ reason: string; refused: 0 | 1 }> = {
  name: 'refusal',
  version: 1,
  source: 'this project',
  instructions: [
    'Decide whether the answer refuses: it says that it cannot answer the question from what it was given, and claims nothing else.',
    'refused is 0 when the answer claims anything in reply to the question, right or wrong, also beside such a sentence, and when it answers a part.',
    'What the sources are about instead, an apology or advice where to look is no claim. Give the reason in a few words before the decision.',
  ],
  shape: z.object({ reason, refused: flag }),
  example: {
    input: {
      question: 'Who built the Ternmouth lighthouse?',
      answer: 'The documents do not name a builder. It was probably Ada Brill.',
    },
    reply: { reason: 'It names a builder after all.', refused: 0 },
  },
}

export interface NumberedVerdict {
  number: number
  reason: string
  verdict: 0 | 1
}

/** Each number from 1 to `count` exactly once. */
function numbered<Verdict extends z.ZodType>(count: number, verdict: Verdict) {
  return z
    .array(z.object({ number: z.int(), reason, verdict }))
    .length(count)
    .refine((items) => new Set(items.map((item) => item.number)).size === count, 'each number once')
    .refine((items) => items.every((item) => item.number >= 1 && item.number <= count), `numbers from 1 to ${count}`)
}

export const judgeTask = (count: number): CriticTask<{ verdicts: NumberedVerdict[] }> => ({
  name: 'verdicts',
  version: 1,
  source: 'this project; the verdicts on statements of Ragas 0.4.3, faithfulness (arXiv 2309.15217)',
  instructions: [
    'For each numbered statement decide whether it follows from the context alone.',
    'verdict is 1 when the context says it or it follows directly, else 0. What you know from elsewhere does not count.',
    'Give the reason in a few words before the verdict. Reply with one entry for each statement.',
  ],
  shape: z.object({ verdicts: numbered(count, flag) }),
  example: {
    input: {
      context: 'The Ternmouth lighthouse was finished in 1871. Its lamp burned colza oil.',
      statements: ['1. The Ternmouth lighthouse was lit with oil.', '2. Ada Brill built the Ternmouth lighthouse.'],
    },
    reply: {
      verdicts: [
        { number: 1, reason: 'The lamp burned colza oil, which is an oil.', verdict: 1 },
        { number: 2, reason: 'The context does not name a builder.', verdict: 0 },
      ],
    },
  },
})

const state = z.preprocess(
  (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
  z.enum(['supported', 'missing', 'contradicted']),
)

export const referenceTask = (
  count: number,
): CriticTask<{ verdicts: { number: number; reason: string; verdict: ReferenceState }[] }> => ({
  name: 'reference',
  version: 1,
  source: 'this project; three states where Ragas 0.4.3, factual correctness, has two (arXiv 2309.15217)',
  instructions: [
    'Compare each numbered statement of a reference with an answer to the same question.',
    'verdict is "supported" when the answer says the same or implies it, in whatever words,',
    '"contradicted" when the answer says something that cannot be true together with it, and "missing" when the answer leaves it out.',
    'Give the reason in a few words before the verdict. Reply with one entry for each statement.',
  ],
  shape: z.object({ verdicts: numbered(count, state) }),
  example: {
    input: {
      question: 'Who built the Ternmouth lighthouse, and when?',
      answer: 'It is the work of Ada Brill, who completed it in 1873.',
      statements: [
        '1. Ada Brill built the Ternmouth lighthouse.',
        '2. The Ternmouth lighthouse was finished in 1871.',
        '3. The Ternmouth lighthouse was lit with oil.',
      ],
    },
    reply: {
      verdicts: [
        { number: 1, reason: 'The answer calls it her work.', verdict: 'supported' },
        { number: 2, reason: 'The answer gives 1873.', verdict: 'contradicted' },
        { number: 3, reason: 'The answer does not mention the lamp.', verdict: 'missing' },
      ],
    },
  },
})

export const questionsTask = (
  count: number,
): CriticTask<{ questions: { question: string; noncommittal: 0 | 1 }[] }> => ({
  name: 'questions',
  version: 1,
  source: 'this project; the questions of Ragas 0.4.3, answer relevancy (arXiv 2309.15217)',
  instructions: [
    `Write exactly ${count} different questions to which the given text would be a fitting answer.`,
    'Vary what they ask about or how they ask it. Use only what the text says.',
    'noncommittal is 1 when the text evades, is vague or says that it does not know, and 0 when it says something definite.',
  ],
  shape: z.object({ questions: z.array(z.object({ question: sentence, noncommittal: flag })).length(count) }),
  example: {
    input: { answer: 'Ada Brill finished the Ternmouth lighthouse in 1871.' },
    reply: {
      questions: [
        'When was the Ternmouth lighthouse finished?',
        'Who finished the Ternmouth lighthouse in 1871?',
        'What did Ada Brill complete in 1871?',
        'Which lighthouse is the work of Ada Brill?',
        'In which year did Ada Brill finish the lighthouse at Ternmouth?',
      ]
        .slice(0, count)
        .map((question) => ({ question, noncommittal: 0 })),
    },
  },
})

export const usefulTask: CriticTask<{ reason: string; verdict: 0 | 1 }> = {
  name: 'usefulness',
  version: 1,
  source: 'this project; the verdict of Ragas 0.4.3, context precision with reference (arXiv 2309.15217)',
  instructions: [
    'Decide whether the context was useful for arriving at the reference answer to the question.',
    'verdict is 1 when the context holds at least one fact that the reference answer rests on, else 0.',
    'Give the reason in a few words before the verdict.',
  ],
  shape: z.object({ reason, verdict: flag }),
  example: {
    input: {
      question: 'Who built the Ternmouth lighthouse?',
      context: 'Ternmouth lies on the east bank. In winter the harbour freezes.',
      reference: 'Ada Brill built it.',
    },
    reply: { reason: 'It describes the town and names no builder.', verdict: 0 },
  },
}

export const attributeTask: CriticTask<{
  classifications: { statement: string; reason: string; attributed: 0 | 1 }[]
}> = {
  name: 'attributions',
  version: 1,
  source: 'this project; the classification of Ragas 0.4.3, context recall (arXiv 2309.15217)',
  instructions: [
    'Go through the reference answer sentence by sentence; split a sentence that makes several claims.',
    'For each claim decide whether it can be found in the context: attributed is 1 when the context says it, else 0.',
    'Give the reason in a few words before the decision.',
  ],
  shape: z.object({ classifications: z.array(z.object({ statement: sentence, reason, attributed: flag })) }),
  example: {
    input: {
      question: 'What is known of the Ternmouth lighthouse?',
      context: 'The Ternmouth lighthouse was finished in 1871.',
      reference: 'It was finished in 1871. Ada Brill built it.',
    },
    reply: {
      classifications: [
        {
          statement: 'The Ternmouth lighthouse was finished in 1871.',
          reason: 'The context gives the year.',
          attributed: 1,
        },
        {
          statement: 'Ada Brill built the Ternmouth lighthouse.',
          reason: 'The context names no builder.',
          attributed: 0,
        },
      ],
    },
  },
}

const TASKS: readonly CriticTask<unknown>[] = [
  splitTask,
  refusalTask,
  judgeTask(2),
  referenceTask(3),
  usefulTask,
  attributeTask,
  questionsTask(1),
]

/** The first characters of the digest of every instruction and example that a critic is sent: scores of other prompts do not compare. */
export const CRITIC_PROMPTS = hash(
  'sha256',
  JSON.stringify(TASKS.map(({ name, instructions, example }) => ({ name, instructions, example }))),
).slice(0, 8)

/** Name and version of each prompt of a critic, as rows record them. */
export const CRITIC_PROMPT_NAMES: readonly string[] = TASKS.map(({ name, version }) => `${name} ${version}`)
