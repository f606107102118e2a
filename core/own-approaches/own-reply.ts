import { z } from 'zod'
import { MOST_TOKENS } from '../received-completion.ts'
import { noAnswerText } from '../model-remedies.ts'
import { splitThinking } from '../thinking.ts'

/** A passage as an own approach reports it, best first. */
export interface OwnPassage {
  text: string
  title: string
  /** Null where it is not named. */
  document: string | null
  score: number | null
}

/** An answer of an own approach. */
export interface OwnReply {
  /** Null of a retriever. */
  answer: string | null
  /** Holds the text before the answer; absent where there is none. */
  reasoning?: string
  /** Null where the approach reports none; an empty list where it found nothing. */
  contexts: OwnPassage[] | null
  usage: { prompt: number; completion: number } | null
}

/** A question that an own approach did not answer. The message is one sentence for its user. */
export class OwnApproachError extends Error {
  override readonly name = 'OwnApproachError'
  readonly kind: 'failed' | 'timeout' | 'rate_limited' | 'access_refused'
  /** Seconds that a service asks to wait. */
  readonly retryAfter: string | null

  constructor(
    kind: OwnApproachError['kind'],
    message: string,
    { retryAfter = null as string | null, cause }: { retryAfter?: string | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.retryAfter = retryAfter
  }
}

/** The text of an own approach apart from the reasoning of its model. Throws where nothing but reasoning is there. */
export function answerOf(text: string): { answer: string; reasoning?: string } {
  const { answer, thinking } = splitThinking(text)
  if (answer.trim() === '' && text.trim() !== '') throw new OwnApproachError('failed', noAnswerText(null))
  return { answer: answer.trim(), ...(thinking === '' ? {} : { reasoning: thinking }) }
}

const Tokens = z.int().min(0).max(MOST_TOKENS)

/** One line of a program: an answer to the question of that id, or why there is none. */
export const ProgramLine = z.looseObject({
  id: z.string(),
  answer: z.string().nullish(),
  contexts: z
    .array(
      z.looseObject({
        text: z.string(),
        title: z.string().nullish(),
        document: z.string().nullish(),
        score: z.number().nullish(),
      }),
    )
    .nullish(),
  usage: z.looseObject({ prompt_tokens: Tokens, completion_tokens: Tokens }).nullish(),
  error: z.string().nullish(),
})
export type ProgramLine = z.infer<typeof ProgramLine>

/** A document as a program gets it. */
export interface OwnDocument {
  id: string
  title: string
  text: string
}

/** The documents of a corpus, read when a program asks for them. */
export interface OwnCorpus {
  digest: string
  documents: () => Promise<readonly OwnDocument[]>
}

/** A question with what its approach may use. */
export interface OwnQuestion {
  question: string
  /** Tokens of text that the run hands to the answerer; null without a budget. */
  budget: number | null
  /** Null where there is nothing to ingest. */
  corpus: OwnCorpus | null
  /** In place of those of its file, for a trial of a tuning. */
  settings?: Readonly<Record<string, string | number | boolean>> | undefined
  /** Passages that a retriever is asked for, in place of the number in its file. */
  k?: number | undefined
  signal?: AbortSignal | undefined
}

/** An own approach that can be asked until it is closed. */
export interface OwnCaller {
  /** Throws `OwnApproachError`, and the reason of the signal. */
  ask(question: OwnQuestion): Promise<OwnReply>
  close(): Promise<void>
}
