import type { EvaluateRecord } from '../../../contract/http/evaluate.ts'
import type { Critic, StatementVerdict } from './critics/critic.ts'
import { judgeCitations, type JudgedSentence } from './score-citations.ts'

/** Claims judged of one answer or reference; a longer one is judged by its first ones, and the reason of the score notes that. */
const MAX_STATEMENTS = 50

/** The first claims of a text, and how many of it are left out. */
export interface Claims {
  statements: string[]
  omitted: number
}

/** Judgements of one record that several metrics need: each is asked for once, when the first of them needs it. */
export interface RecordJudgements {
  /** True when a language model takes the answer for a refusal; null with rules. */
  refused(): Promise<boolean | null>
  claims(): Promise<Claims>
  /** The claims of the answer against its contexts. */
  againstContexts(): Promise<StatementVerdict[]>
  claimsOfReference(): Promise<Claims>
  /** The claims of the answer against those of the reference. */
  againstReference(): Promise<StatementVerdict[]>
  /** The sentences of the answer with their citations. */
  citations(): Promise<JudgedSentence[]>
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => (made ??= make())
}

/** Each statement once, however often a critic repeats it; case, spaces and the mark at the end make no other statement. */
export const distinct = <Item>(all: readonly Item[], textOf: (item: Item) => string): Item[] =>
  [
    ...Map.groupBy(all, (item) =>
      textOf(item)
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll(/\s+/gu, ' ')
        .replace(/[\s.!?]+$/u, '')
        .trim(),
    ).values(),
  ].map(([first]) => first!)

function bounded(all: readonly string[]): Claims {
  const statements = distinct(all, (text) => text)
  return { statements: statements.slice(0, MAX_STATEMENTS), omitted: Math.max(0, statements.length - MAX_STATEMENTS) }
}

export function judgementsOf(
  { question, answer, contexts, ground_truth: groundTruth, cited_answer: cited }: EvaluateRecord,
  critic: Critic,
  signal?: AbortSignal,
): RecordJudgements {
  const reference = groundTruth ?? ''
  const judged = async (statements: readonly string[], texts: readonly string[]): Promise<StatementVerdict[]> =>
    statements.length === 0 ? [] : critic.judgeStatements(statements, texts, signal)
  const claims = once(async () => bounded(await critic.splitStatements(question, answer, signal)))
  const claimsOfReference = once(async () => {
    const { statements, omitted } = bounded(await critic.splitStatements(question, reference, signal))
    return { statements: statements.length === 0 ? [reference] : statements, omitted }
  })
  return {
    refused: once(async () => (await critic.judgeRefusal?.(question, answer, signal)) ?? null),
    claims,
    claimsOfReference,
    citations: once(() => judgeCitations(cited ?? '', contexts, critic, signal)),
    againstContexts: once(async () => judged((await claims()).statements, contexts)),
    againstReference: once(async () =>
      judged((await claims()).statements, [reference, ...(await claimsOfReference()).statements]),
    ),
  }
}
