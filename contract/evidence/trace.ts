import { z } from 'zod'
import { Sha256 } from '../common.ts'

/** States how much of its calls a cell keeps: steps with their texts, steps alone, or nothing. */
export const TraceLevel = z.enum(['full', 'tree', 'off'])
export type TraceLevel = z.infer<typeof TraceLevel>

/** The level of runs that name none. */
export const DEFAULT_TRACE_LEVEL: TraceLevel = 'full'

/** Asks the embedded platform for a trace; other gateways ignore it. Inside the process it also names the step that a call belongs to. */
export const TRACE_HEADER = 'x-rag-ladder-trace'

/** The field of a trace in `rag_extension`, in an evaluation's response and beside an error. */
export const TRACE_FIELD = 'rag_ladder_trace'

/** Most that is kept: characters of one text, characters of all texts of a cell, steps of a cell, bytes of the texts of a dataset run. */
export const TRACE_LIMITS = {
  textChars: 64 * 1024,
  cellChars: 1024 * 1024,
  steps: 300,
  runBytes: 256 * 1024 * 1024,
} as const

/** States what a step was: `attempt` and `evaluation` are the runner's own, `http` one try of a call at a service. */
export const TraceKind = z.enum([
  'attempt',
  'evaluation',
  'model',
  'embedding',
  'reranker',
  'search',
  'graph',
  'tool',
  'workflow',
  'http',
])
export type TraceKind = z.infer<typeof TraceKind>

/** A text that was sent or received: where it is stored it is found by its digest. */
export const TraceText = z.strictObject({
  /** Of the text as it is kept: without secrets, and cut. */
  sha256: Sha256,
  chars: z.int().min(0),
  /** `cut`: only its beginning is kept. `left_out`: not stored, because a limit was reached. Absent for a text that is kept whole. */
  kept: z.enum(['cut', 'left_out']).optional(),
})
export type TraceText = z.infer<typeof TraceText>

const ms = z.number().min(0)

/** One call. Steps are in the order of their beginning, so a parent comes before its children. */
export const TraceStep = z.strictObject({
  name: z.string().max(200),
  kind: TraceKind,
  /** Place of the step that it is a part of; absent at the top. */
  parent: z.int().min(0).optional(),
  /** From the beginning of the cell's first attempt. */
  start_ms: ms,
  duration_ms: ms,
  tokens_in: z.int().min(0).optional(),
  tokens_out: z.int().min(0).optional(),
  request: TraceText.optional(),
  response: TraceText.optional(),
  error: z.string().max(600).optional(),
})
export type TraceStep = z.infer<typeof TraceStep>

const steps = z.array(TraceStep).max(TRACE_LIMITS.steps)

/** A trace as a platform sends it: its steps, and their texts by digest where the level is `full`. */
export const SentTrace = z.strictObject({
  steps,
  /** Steps that were left out above the limit. */
  left_out: z.int().min(1).optional(),
  texts: z.record(Sha256, z.string().max(TRACE_LIMITS.textChars)).optional(),
})
export type SentTrace = z.infer<typeof SentTrace>

/** A trace as a row holds it. */
export const CellTrace = z.strictObject({
  level: TraceLevel,
  steps,
  left_out: z.int().min(1).optional(),
})
export type CellTrace = z.infer<typeof CellTrace>
