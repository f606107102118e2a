// Records what a request of the platform asked of models, stores and tools. A step finds its parent by the asynchronous context, so no function passes a
// recorder on, and without a recording it costs one look at that context.
import { AsyncLocalStorage } from 'node:async_hooks'
import { hash, randomUUID } from 'node:crypto'
import {
  TRACE_HEADER,
  TRACE_LIMITS,
  type SentTrace,
  type TraceKind,
  type TraceStep,
  type TraceText,
} from '../../../contract/evidence/trace.ts'
import { messageOf } from '../../../core/json.ts'
import { serviceText, withoutSecrets } from '../../../core/known-secrets.ts'

interface Recording {
  id: string
  level: 'full' | 'tree'
  started: number
  steps: TraceStep[]
  leftOut: number
  texts: Map<string, string>
  chars: number
}

/** States where the next step belongs: its recording, and the step that is under way. */
interface Place {
  recording: Recording
  parent: number | null
}

const current = new AsyncLocalStorage<Place>()
const underWay = new Map<string, Recording>()

/** States what a step was, and what was sent. `request` is a text or a value that is kept as JSON; it is called only where something is recorded. */
export interface StepStart {
  kind: TraceKind
  name: string
  request: () => unknown
}

export interface StepEnd {
  response?: unknown
  tokensIn?: number | undefined
  tokensOut?: number | undefined
  /** Set where a call failed without throwing. */
  error?: string | undefined
}

/** Runs a call as a step of the request's trace; without one it just runs. `end` reads what came back. */
export async function step<Result>(
  { kind, name, request }: StepStart,
  run: () => Promise<Result>,
  end: (result: Result) => StepEnd,
): Promise<Result> {
  const place = current.getStore()
  if (place === undefined) return run()
  const { recording, parent } = place
  if (recording.steps.length >= TRACE_LIMITS.steps) {
    recording.leftOut += 1
    return run()
  }
  const index = recording.steps.length
  const started = performance.now()
  const made: TraceStep = {
    name: withoutSecrets(name).slice(0, 200),
    kind,
    ...(parent === null ? {} : { parent }),
    start_ms: rounded(started - recording.started),
    duration_ms: 0,
  }
  recording.steps.push(made)
  keep(recording, made, 'request', request())
  try {
    const result = await current.run({ recording, parent: index }, run)
    made.duration_ms = rounded(performance.now() - started)
    const { response, tokensIn, tokensOut, error } = end(result)
    if (tokensIn !== undefined) made.tokens_in = tokensIn
    if (tokensOut !== undefined) made.tokens_out = tokensOut
    if (error !== undefined) made.error = serviceText(error, 500)
    keep(recording, made, 'response', response)
    return result
  } catch (error) {
    made.duration_ms = rounded(performance.now() - started)
    made.error = serviceText(messageOf(error), 500)
    throw error
  }
}

const rounded = (time: number): number => Math.round(Math.max(0, time) * 10) / 10

function keep(recording: Recording, made: TraceStep, side: 'request' | 'response', value: unknown): void {
  if (value === undefined || value === null) return
  made[side] = keptText(recording, typeof value === 'string' ? value : JSON.stringify(value))
}

function keptText(recording: Recording, whole: string): TraceText {
  // Cut roughly first: the replacement of secrets must not scan megabytes, and must not meet a half of one.
  const clean = withoutSecrets(whole.slice(0, TRACE_LIMITS.textChars * 2)).toWellFormed()
  const text = clean.slice(0, TRACE_LIMITS.textChars).toWellFormed()
  const sha256 = hash('sha256', text)
  const cut = text.length < clean.length || whole.length > TRACE_LIMITS.textChars * 2
  const made = { sha256, chars: whole.length, ...(cut ? { kept: 'cut' as const } : {}) }
  if (recording.level === 'tree' || recording.texts.has(sha256)) return made
  if (recording.chars + text.length > TRACE_LIMITS.cellChars) return { ...made, kept: 'left_out' }
  recording.chars += text.length
  recording.texts.set(sha256, text)
  return made
}

/** States how a request asked to be recorded: by a level, or as a part of a step that this process has under way. */
type Asked = { level: 'full' | 'tree' } | { place: Place } | null

function askedBy(header: string | string[] | undefined): Asked {
  if (typeof header !== 'string') return null
  const [level, id, parent] = header.split(';')
  const recording = id === undefined ? undefined : underWay.get(id)
  if (recording !== undefined) {
    const index = Number(parent)
    return { place: { recording, parent: Number.isInteger(index) && recording.steps[index] ? index : null } }
  }
  return level === 'full' || level === 'tree' ? { level } : null
}

/**
 * Runs a request, recorded as its header asks. `attach` adds the trace to a result, `attachError` to what was thrown; neither is called for a part of
 * another request, whose steps its own recording has.
 */
export async function recorded<Result>(
  header: string | string[] | undefined,
  run: () => Promise<Result>,
  attach: (result: Result, trace: SentTrace) => Result,
  attachError: (error: unknown, trace: SentTrace) => void,
): Promise<Result> {
  const asked = askedBy(header)
  if (asked === null) return run()
  if ('place' in asked) return current.run(asked.place, run)
  const recording: Recording = {
    id: randomUUID(),
    level: asked.level,
    started: performance.now(),
    steps: [],
    leftOut: 0,
    texts: new Map(),
    chars: 0,
  }
  underWay.set(recording.id, recording)
  try {
    return attach(await current.run({ recording, parent: null }, run), sentOf(recording))
  } catch (error) {
    attachError(error, sentOf(recording))
    throw error
  } finally {
    underWay.delete(recording.id)
  }
}

/** Runs a request of this process as a part of the step that its header names; any other just runs. */
export function continued<Result>(header: string | string[] | undefined, run: () => Promise<Result>): Promise<Result> {
  const asked = askedBy(header)
  return asked !== null && 'place' in asked ? current.run(asked.place, run) : run()
}

function sentOf({ level, steps, leftOut, texts }: Recording): SentTrace {
  return {
    steps: steps.map((made) => ({ ...made })),
    ...(leftOut === 0 ? {} : { left_out: leftOut }),
    ...(level === 'full' ? { texts: Object.fromEntries(texts) } : {}),
  }
}

/** The header with which a request to this process continues the trace; empty without one. */
export function traceHeaders(): Record<string, string> {
  const place = current.getStore()
  if (place === undefined) return {}
  const { recording, parent } = place
  return { [TRACE_HEADER]: [recording.level, recording.id, parent ?? ''].join(';') }
}
