// The trace of a cell as a tree to read, the same on the page of a cell and in the terminal.
import type { CellTrace, TraceKind, TraceStep } from '../../contract/evidence/trace.ts'
import { jsonIn } from '../json.ts'

export const TRACE_KIND_WORDS: Readonly<Record<TraceKind, string>> = {
  attempt: 'call of the approach',
  evaluation: 'grading',
  model: 'model',
  embedding: 'embedding',
  reranker: 'reranker',
  search: 'search',
  graph: 'graph',
  tool: 'tool',
  workflow: 'workflow',
  http: 'HTTP',
}

/** Why a trace has nothing to show beside the runner's own calls. */
export const TRACE_GAP_WORDS = {
  older: 'This row was written before traces were kept.',
  off: 'This run keeps no traces: it was started with trace off.',
  none: 'The gateway sent no trace of this answer, so only the calls of the run are known.',
} as const

/** One step as a line of the tree. */
export interface TraceRow {
  /** Its place in the trace. */
  index: number
  step: TraceStep
  /** Steps above it. */
  depth: number
  /** States where it began and how long it took, as shares of the whole trace. */
  start: number
  share: number
}

/** The steps of a trace in the order of a tree: each with what is below it, in the order of their beginning. */
export function traceRows({ steps }: Pick<CellTrace, 'steps'>): TraceRow[] {
  const below = Map.groupBy(
    steps.map((step, index) => ({ step, index })),
    ({ step }) => step.parent ?? -1,
  )
  const total = Math.max(1e-9, ...steps.map(({ start_ms: start, duration_ms: duration }) => start + duration))
  const rowsBelow = (parent: number, depth: number): TraceRow[] =>
    (below.get(parent) ?? []).flatMap(({ step, index }) => [
      { index, step, depth, start: step.start_ms / total, share: step.duration_ms / total },
      ...rowsBelow(index, depth + 1),
    ])
  return rowsBelow(-1, 0)
}

/** Why a trace has nothing to show beside the runner's own calls; null where it has. */
export function traceGap(trace: CellTrace | undefined): keyof typeof TRACE_GAP_WORDS | null {
  if (trace === undefined) return 'older'
  if (trace.level === 'off') return 'off'
  return trace.steps.every(({ kind }) => kind === 'attempt' || kind === 'evaluation') ? 'none' : null
}

export interface TracePart {
  /** Role of a message; null for a text as it is. */
  role: string | null
  text: string
}

/** A text that was sent or received, to be read: messages of a chat one by one, other JSON indented, anything else as it is. */
export function readableParts(text: string): TracePart[] {
  const value = jsonIn(text)
  if (value === undefined) return [{ role: null, text }]
  if (typeof value === 'string') return [{ role: null, text: value }]
  const { messages, choices, ...rest } = (value ?? {}) as Record<string, unknown>
  const said = Array.isArray(messages) ? messages : Array.isArray(choices) ? choices.map(messageOf) : null
  if (said === null || !said.every(isMessage)) return [{ role: null, text: indented(value) }]
  const parts = said.map(({ role, content, ...more }) => {
    const fields = Object.keys(more).length === 0 ? '' : indented(more)
    const words =
      typeof content === 'string' ? content : content === null || content === undefined ? '' : indented(content)
    return { role: role ?? null, text: [words, fields].filter((part) => part !== '').join('\n') }
  })
  return Object.keys(rest).length === 0 ? parts : [...parts, { role: null, text: indented(rest) }]
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2)

const messageOf = (choice: unknown): unknown => (choice as { message?: unknown } | null)?.message

const isMessage = (value: unknown): value is Record<string, unknown> & { role?: string } =>
  typeof value === 'object' && value !== null && typeof (value as { role?: unknown }).role === 'string'
