import { describe, expect, it } from 'vitest'
import {
  COMPARED,
  GOLDEN,
  record,
  scripted,
  serveEvaluator,
  taskOf,
  verdicts,
} from '../../../tests/helpers/evaluator-fixture.ts'
import type { RoleChatRequest } from '../models/model-host.ts'
import type { Critic } from './critics/critic.ts'
import { claimsF1, hallucinationRate } from './metrics/formulas.ts'
import { citedSentences, judgeCitations } from './score-citations.ts'

interface Reply {
  evaluator_version: string
  evaluator_prompts?: string[]
  results: { scores: Record<string, number | null>; metadata: { metric_errors: object; metric_reasons: object } }[]
}

const inputOf = (request: RoleChatRequest) =>
  JSON.parse(request.messages[1]!.content as string) as Record<string, unknown>

/** Three claims of the answer, two of the reference; contexts support the first claim, the reference the second. */
const model = scripted({
  ...COMPARED,
  statements: (request) =>
    JSON.stringify({ statements: inputOf(request)['answer'] === 'Ada.' ? ['r1', 'r2'] : ['a', 'b', 'c'] }),
  verdicts: (request) => verdicts((inputOf(request)['context'] as string).includes('useful') ? [1, 0, 0] : [0, 1, 0]),
})

describe('answer correctness', () => {
  it('is the F1 of statements of both sides, and keeps what the answer leaves out or contradicts', async () => {
    const { evaluate } = await serveEvaluator({ chat: model })
    const { body } = await evaluate({ records: [record], metrics: ['answer_correctness'] })
    const [result] = (body as Reply).results
    // One hit, two statements without support, one contradicted: 1 ÷ (1 + 3 ÷ 2).
    expect(result).toMatchObject({
      scores: { answer_correctness: 0.4 },
      metadata: {
        metric_reasons: {
          answer_correctness: {
            reference: [
              { statement: 'r1', state: 'supported' },
              { statement: 'r2', state: 'contradicted' },
            ],
            answer: [{ verdict: 0 }, { verdict: 1 }, { verdict: 0 }],
          },
        },
      },
    })
    expect((body as Reply).evaluator_version).toMatch(/, prompts [0-9a-f]{8}$/)
    expect((body as Reply).evaluator_prompts).toContain('reference 1')
  })

  it('of an answer that states nothing is 0', async () => {
    const silent = scripted({
      ...COMPARED,
      statements: (request) => JSON.stringify({ statements: inputOf(request)['answer'] === 'Ada.' ? ['r1'] : [] }),
    })
    const { evaluate } = await serveEvaluator({ chat: silent })
    const { body } = await evaluate({ records: [record], metrics: ['answer_correctness'] })
    expect((body as Reply).results[0]!.scores).toEqual({ answer_correctness: 0 })
  })

  it('is not evaluable with rules, which have no value in its place', async () => {
    const { evaluate } = await serveEvaluator({ builtin: ['evaluator'] })
    const { body } = await evaluate({ records: [record], metrics: ['answer_correctness', 'faithfulness'] })
    expect((body as Reply).results[0]).toMatchObject({
      scores: { answer_correctness: null, faithfulness: expect.any(Number) },
      metadata: { metric_errors: { answer_correctness: 'needs_language_model' } },
    })
  })

  it('needs a reference', async () => {
    const { evaluate } = await serveEvaluator({ chat: model })
    const { body } = await evaluate({ records: [{ ...record, ground_truth: null }], metrics: ['answer_correctness'] })
    expect((body as Reply).results[0]).toMatchObject({ scores: { answer_correctness: null } })
  })
})

describe('the hallucination rate', () => {
  it('is the share of statements that neither contexts nor ground truth support, from claims that were split once', async () => {
    const asked: string[] = []
    const { evaluate } = await serveEvaluator({
      chat: (role, request) => {
        asked.push(taskOf(request))
        return model(role, request)
      },
    })
    const metrics = ['faithfulness', 'hallucination_rate', 'answer_correctness']
    const { body } = await evaluate({ records: [record], metrics })
    expect((body as Reply).results[0]!.scores).toEqual({
      faithfulness: expect.closeTo(1 / 3, 10),
      hallucination_rate: expect.closeTo(1 / 3, 10),
      answer_correctness: 0.4,
    })
    expect(asked).toEqual(['statements', 'verdicts', 'statements', 'verdicts', 'reference', 'refusal'])
  })

  it('of an answer that claims nothing has no value', async () => {
    const { evaluate } = await serveEvaluator({ chat: scripted({ ...GOLDEN, statements: '{"statements":[]}' }) })
    const { body } = await evaluate({ records: [record], metrics: ['hallucination_rate'] })
    expect((body as Reply).results[0]!.metadata.metric_errors).toEqual({ hallucination_rate: 'no_statements' })
  })
})

describe('citations', () => {
  const critic = (supports: (sentence: string, texts: readonly string[]) => boolean) =>
    ({
      judgeStatements: (statements: readonly string[], texts: readonly string[]) =>
        Promise.resolve(
          statements.map((statement) => ({ statement, reason: 'r', verdict: supports(statement, texts) })),
        ),
    }) as unknown as Critic

  it('belong to the sentence before them, also after its full stop', () => {
    expect(
      citedSentences('# Ada\n\nAda built it. [1] It was lit in 1871 [2][3], with oil. Then gas [1; 2; 3; 4].'),
    ).toEqual([
      { text: 'Ada built it.', numbers: [1] },
      { text: 'It was lit in 1871, with oil.', numbers: [2, 3] },
      { text: 'Then gas.', numbers: [1, 2, 3] },
    ])
  })

  it('of several are needed where they support alone, or the others do not without them', async () => {
    // The sentence needs "x" and "y": two passages hold one each, the third nothing.
    const supports = critic((_sentence, texts) => ['x', 'y'].every((part) => texts.join('').includes(part)))
    const judged = await judgeCitations('Both hold [1][2][3].', ['x', 'y', '-'], supports)
    expect(judged).toMatchObject([{ verdict: true, isNeeded: [true, true, false] }])
  })

  it('without support, without a number or of a passage that does not exist count for nothing', async () => {
    const supports = critic((sentence, texts) => texts.includes(sentence))
    const judged = await judgeCitations(
      'One holds [1]. Two is false [1]. Three is bare. Four is away [9].',
      ['One holds.'],
      supports,
    )
    expect(judged.map(({ verdict, isNeeded }) => [verdict, ...isNeeded])).toEqual([
      [true, true],
      [false, false],
      [false],
      [false, false],
    ])
  })

  it('are graded from the cited answer of a record, of which a refusal has none', async () => {
    const { evaluate } = await serveEvaluator({ builtin: ['evaluator'] })
    const metrics = ['citation_recall', 'citation_precision']
    const cited = { ...record, answer: 'useful 1', cited_answer: 'useful 1 [1][2]' }
    const bare = { ...record, cited_answer: 'Ada built it.' }
    const { body } = await evaluate({ records: [cited, bare, record], metrics })
    expect((body as Reply).results.map(({ scores }) => scores)).toEqual([
      { citation_recall: 1, citation_precision: 0.5 },
      { citation_recall: 0, citation_precision: 0 },
      { citation_recall: null, citation_precision: null },
    ])
    const refusing = await serveEvaluator({ chat: scripted({ refusal: JSON.stringify({ reason: 'r', refused: 1 }) }) })
    const { body: refused } = await refusing.evaluate({ records: [bare], metrics })
    expect((refused as Reply).results[0]!.metadata.metric_errors).toEqual({
      citation_recall: 'no_statements',
      citation_precision: 'no_statements',
    })
  })
})

it('the formulas are those of Ragas and RAGChecker', () => {
  expect(claimsF1([true, true, false], [true, false])).toBeCloseTo(2 / 3, 10)
  expect(claimsF1([false], [false])).toBe(0)
  expect(hallucinationRate([true, false, false], [false, true, false])).toBeCloseTo(1 / 3, 10)
  expect(hallucinationRate([], [])).toBeNaN()
})

describe('a statement that the critic repeats', () => {
  const repeating = scripted({
    ...COMPARED,
    statements: () =>
      JSON.stringify({ statements: ['Ada built it.', ' ada  built it', 'Bo built it.', 'Ada built it!'] }),
    verdicts: () => verdicts([1, 0]),
    attributions: () =>
      JSON.stringify({
        classifications: ['Ada built it.', 'Ada built it.', 'Bo paid.'].map((statement, number) => ({
          statement,
          reason: 'r',
          attributed: number < 2 ? 1 : 0,
        })),
      }),
  })

  it('counts once in what is asked for and in the score', async () => {
    const { evaluate } = await serveEvaluator({ chat: repeating })
    const { body } = await evaluate({ records: [record], metrics: ['faithfulness', 'context_recall'] })
    expect((body as Reply).results[0]!.scores).toEqual({ faithfulness: 0.5, context_recall: 0.5 })
  })
})
