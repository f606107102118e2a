import { askWithThoseThatFit } from '../../rag/steps/fit-context.ts'
import type { ChatRole, ModelHost } from '../../models/model-host.ts'
import type { Critic, ReferenceVerdict, StatementVerdict, Verdict } from './critic.ts'
import {
  attributeTask,
  judgeTask,
  questionsTask,
  referenceTask,
  refusalTask,
  splitTask,
  usefulTask,
} from './critic-tasks.ts'
import { createStructuredCall } from './structured-call.ts'

/** Statements judged in one call: more, and small models lose count. */
const STATEMENTS_PER_CALL = 10

const numberedTexts = (statements: readonly string[]): string[] =>
  statements.map((statement, index) => `${index + 1}. ${statement}`)

/** The verdicts on all statements, from calls for a part of them each. */
async function inParts<Verdict>(
  statements: readonly string[],
  judge: (some: readonly string[]) => Promise<Verdict[]>,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (let start = 0; start < statements.length; start += STATEMENTS_PER_CALL)
    verdicts.push(...(await judge(statements.slice(start, start + STATEMENTS_PER_CALL))))
  return verdicts
}

/** The verdicts on contexts, or on the first of them where all are too long for the model, with how many are left out. */
const onThoseThatFit = <Judged extends Verdict>(
  contexts: readonly string[],
  judge: (context: string) => Promise<Judged[]>,
): Promise<Judged[]> =>
  askWithThoseThatFit(contexts, async (read) => {
    const verdicts = await judge(read.join('\n'))
    const contextsOmitted = contexts.length - read.length
    return contextsOmitted === 0 ? verdicts : verdicts.map((verdict) => ({ ...verdict, contextsOmitted }))
  })

/** A critic that asks a chat model. Contexts are joined by newlines, as the formulas' source does. */
export function createChatCritic(models: ModelHost, role: ChatRole): Critic {
  const ask = createStructuredCall(models, role)

  async function judgeSome(
    statements: readonly string[],
    context: string,
    signal?: AbortSignal,
  ): Promise<StatementVerdict[]> {
    const { verdicts } = await ask(
      judgeTask(statements.length),
      { context, statements: numberedTexts(statements) },
      signal,
    )
    return statements.map((statement, index) => {
      const { reason, verdict } = verdicts.find(({ number }) => number === index + 1)!
      return { statement, reason, verdict: verdict === 1 }
    })
  }

  async function compareSome(
    statements: readonly string[],
    compared: { question: string; answer: string },
    signal?: AbortSignal,
  ): Promise<ReferenceVerdict[]> {
    const input = { ...compared, statements: numberedTexts(statements) }
    const { verdicts } = await ask(referenceTask(statements.length), input, signal)
    return statements.map((statement, index) => {
      const { reason, verdict } = verdicts.find(({ number }) => number === index + 1)!
      return { statement, reason, state: verdict }
    })
  }

  return {
    kind: 'chat',
    judgeRefusal: async (question, answer, signal) =>
      (await ask(refusalTask, { question, answer }, signal)).refused === 1,
    splitStatements: async (question, answer, signal) =>
      (await ask(splitTask, { question, answer }, signal)).statements,
    judgeStatements: (statements, contexts, signal) =>
      onThoseThatFit(contexts, (context) => inParts(statements, (some) => judgeSome(some, context, signal))),
    judgeReference: (statements, question, answer, signal) =>
      inParts(statements, (some) => compareSome(some, { question, answer }, signal)),
    // One call for all questions: at temperature 0 separate calls would return the same question each time.
    generateQuestions: async (answer, count, signal) => {
      const { questions } = await ask(questionsTask(count), { answer }, signal)
      return questions.map(({ question, noncommittal }) => ({ question, noncommittal: noncommittal === 1 }))
    },
    judgeUsefulness: async (question, context, reference, signal) => {
      const { reason, verdict } = await ask(usefulTask, { question, context, reference }, signal)
      return { reason, verdict: verdict === 1 }
    },
    attributeReference: (question, reference, contexts, signal) =>
      onThoseThatFit(contexts, async (context) => {
        const { classifications } = await ask(attributeTask, { question, context, reference }, signal)
        return classifications.map(({ statement, reason, attributed }) => ({
          statement,
          reason,
          verdict: attributed === 1,
        }))
      }),
  }
}
