/** A yes or no with the reason for it. */
export interface Verdict {
  verdict: boolean
  reason: string
  /** Contexts that were left out because all were too long for the model; absent where it read all. */
  contextsOmitted?: number
}

export interface StatementVerdict extends Verdict {
  statement: string
}

/** Says where a statement of the reference is in an answer. */
export type ReferenceState = 'supported' | 'missing' | 'contradicted'

export interface ReferenceVerdict {
  statement: string
  state: ReferenceState
  reason: string
}

/** A question that an answer would be an answer to; noncommittal when the answer evades. */
export interface GeneratedQuestion {
  question: string
  noncommittal: boolean
}

/** Makes the judgements that the formulas need. Throws `ModelCallError` or `CriticReplyError` when it cannot. */
export interface Critic {
  readonly kind: 'chat' | 'rules'
  /** Returns true when an answer says that it cannot answer and claims nothing besides; only language models are asked. */
  judgeRefusal?(question: string, answer: string, signal?: AbortSignal): Promise<boolean>
  /** The answer's claims, each understandable alone. */
  splitStatements(question: string, answer: string, signal?: AbortSignal): Promise<string[]>
  /** For each statement, in order, whether the contexts support it. */
  judgeStatements(
    statements: readonly string[],
    contexts: readonly string[],
    signal?: AbortSignal,
  ): Promise<StatementVerdict[]>
  /** For each statement of the reference, in order, where it is in the answer; only language models are asked. */
  judgeReference?(
    statements: readonly string[],
    question: string,
    answer: string,
    signal?: AbortSignal,
  ): Promise<ReferenceVerdict[]>
  /** As many different questions as asked for. */
  generateQuestions(answer: string, count: number, signal?: AbortSignal): Promise<GeneratedQuestion[]>
  /** Returns true when a context helps to reach the reference answer. */
  judgeUsefulness(question: string, context: string, reference: string, signal?: AbortSignal): Promise<Verdict>
  /** The reference's statements, each with whether the contexts hold it. */
  attributeReference(
    question: string,
    reference: string,
    contexts: readonly string[],
    signal?: AbortSignal,
  ): Promise<StatementVerdict[]>
}

/** Names of the error on the wire, by what was wrong with the reply. */
const NAMES = { no_json: 'CriticReplyError', wrong_shape: 'CriticShapeError', cut_off: 'CriticCutError' } as const

/** A critic whose reply cannot be used, also after it was asked to correct it. */
export class CriticReplyError extends Error {
  override readonly name: string

  constructor(code: keyof typeof NAMES, message: string) {
    super(message)
    this.name = NAMES[code]
  }
}
