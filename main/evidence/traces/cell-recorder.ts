import { hash } from 'node:crypto'
import {
  SentTrace,
  TRACE_HEADER,
  TRACE_LIMITS,
  type CellTrace,
  type TraceKind,
  type TraceLevel,
  type TraceStep,
  type TraceText,
} from '../../../contract/evidence/trace.ts'
import { serviceText, withoutSecrets } from '../../../core/known-secrets.ts'

/** One call of the runner that a platform may have recorded. */
export interface RecordedCall {
  kind: Extract<TraceKind, 'attempt' | 'evaluation'>
  name: string
  /** Of the monotonic clock. */
  startedAt: number
  /** States what the answer brought as its trace, unchecked. */
  sent: unknown
  /** Null where the call succeeded. */
  error: string | null
}

/** Collects the steps of one cell, and the texts that they name. A resumed cell goes on from the steps of its kept answer. */
export class CellRecorder {
  readonly #level: TraceLevel
  readonly #steps: TraceStep[] = []
  #leftOut = 0
  #texts = new Map<string, string>()
  #origin: number | null = null

  constructor(level: TraceLevel, known?: CellTrace) {
    this.#level = level
    if (known === undefined || level === 'off') return
    // A score that is made again replaces the calls of the one before, which are the last steps.
    const scored = known.steps.findIndex(({ kind }) => kind === 'evaluation')
    this.#steps.push(...(scored === -1 ? known.steps : known.steps.slice(0, scored)))
    this.#leftOut = known.left_out ?? 0
  }

  /** Asks the platform for a trace; empty where none is kept. */
  get headers(): Record<string, string> {
    return this.#level === 'off' ? {} : { [TRACE_HEADER]: this.#level }
  }

  /** Adds a call that has just ended, with the steps that the platform recorded below it. */
  add({ kind, name, startedAt, sent, error }: RecordedCall): void {
    if (this.#level === 'off') return
    const start = startedAt - this.#originOf(startedAt)
    const place = this.#steps.length
    this.#push({
      name,
      kind,
      start_ms: rounded(start),
      duration_ms: rounded(performance.now() - startedAt),
      ...(error === null ? {} : { error: serviceText(error, 500) }),
    })
    const trace = SentTrace.safeParse(sent)
    if (!trace.success) return
    this.#leftOut += trace.data.left_out ?? 0
    const digests = this.#admit(trace.data.texts ?? {})
    const named = (text: TraceText | undefined): TraceText | undefined =>
      text === undefined ? undefined : { ...text, sha256: digests.get(text.sha256) ?? text.sha256 }
    for (const made of trace.data.steps) {
      const [request, response] = [named(made.request), named(made.response)]
      this.#push({
        ...made,
        name: withoutSecrets(made.name),
        parent: made.parent === undefined ? place : made.parent + place + 1,
        start_ms: rounded(made.start_ms + start),
        ...(request === undefined ? {} : { request }),
        ...(response === undefined ? {} : { response }),
        ...(made.error === undefined ? {} : { error: serviceText(made.error, 500) }),
      })
    }
  }

  /** The texts since the last call of this, by their digest. */
  takeTexts(): Map<string, string> {
    const texts = this.#texts
    this.#texts = new Map()
    return texts
  }

  /** The trace of the row; `leftOut` holds the digests of texts that could not be stored. */
  trace(leftOut: ReadonlySet<string> = new Set()): CellTrace {
    const marked = (text: TraceText | undefined): TraceText | undefined =>
      text !== undefined && leftOut.has(text.sha256) ? { ...text, kept: 'left_out' } : text
    return {
      level: this.#level,
      steps: this.#steps.map((made) => {
        const [request, response] = [marked(made.request), marked(made.response)]
        return { ...made, ...(request && { request }), ...(response && { response }) }
      }),
      ...(this.#leftOut === 0 ? {} : { left_out: this.#leftOut }),
    }
  }

  /** The clock of a resumed cell goes on where its kept steps end. */
  #originOf(now: number): number {
    const known = Math.max(0, ...this.#steps.map(({ start_ms: start, duration_ms: duration }) => start + duration))
    this.#origin ??= now - known
    return this.#origin
  }

  #push(made: TraceStep): void {
    if (this.#steps.length < TRACE_LIMITS.steps) this.#steps.push(made)
    else this.#leftOut += 1
  }

  /** Every digest is computed here, of the text without the secrets of this process too: what a service claims is not kept. */
  #admit(texts: Readonly<Record<string, string>>): Map<string, string> {
    const digests = new Map<string, string>()
    for (const [claimed, text] of Object.entries(texts)) {
      const clean = withoutSecrets(text)
      const sha256 = hash('sha256', clean)
      digests.set(claimed, sha256)
      this.#texts.set(sha256, clean)
    }
    return digests
  }
}

/** Digests of the texts that a trace has stored. */
export const storedTextsOf = (trace: CellTrace | undefined): string[] =>
  trace?.level !== 'full'
    ? []
    : trace.steps.flatMap(({ request, response }) =>
        [request, response].flatMap((text) => (text === undefined || text.kept === 'left_out' ? [] : text.sha256)),
      )

const rounded = (ms: number): number => Math.round(Math.max(0, ms) * 10) / 10
