// One reply of a service that misbehaves, and the form of an entry in the table of faults.
import type { AskedOfModel } from '../helpers/capable-model.ts'

export type Asked = AskedOfModel & Record<string, unknown>
/** The model behind the service wrote it. */
export type Written = { content: string | null; tool_calls?: unknown }

/** One reply of a service. `message` replaces what the model wrote, `body` the whole body. */
export interface FaultyReply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  /** The body in parts that are sent one after the other. */
  parts?: readonly (string | Uint8Array)[]
  message?: object
  finish?: string
  /** The model that the answer names. */
  model?: string
  /** The service reports these tokens; false reports none. */
  usage?: object | false
  /** The connection ends in the middle of the body or after its parts, stays open after them, or nothing is sent at all. */
  ends?: 'cut' | 'open' | 'never'
}

export interface ModelFault {
  about: string
  /** `call` counts the requests of the run from 1. */
  reply?: (asked: Asked, written: Written, call: number) => FaultyReply
  /** The reply to a request for vectors. Without it, vectors are those of rules. */
  embed?: (vectors: number[][], asked: Asked, call: number) => FaultyReply
  /** `all` answered, `none`, or `some`: those of approaches that need what the service does not do. */
  cells: 'all' | 'none' | 'some'
  /** The run's output must hold these: the words of the service, or what to do. */
  says?: RegExp[]
  /** The right thing to do. */
  action: string
}

export const READ = 'nothing: reasoning is split off the answer'
export const REPAIR = 'repair the service; the same run goes on'
export const EVERY_FORM = 'nothing: every form is read'

export const refused = (message: string, more: object = {}, status = 400): FaultyReply => ({
  status,
  body: { error: { message, type: 'invalid_request_error', ...more } },
})

export const texted = (written: Written, change: (text: string) => string): FaultyReply =>
  written.content === null ? {} : { message: { ...written, content: change(written.content) } }

/** Chooses one of several forms of a fault after the other. */
export function byTurns<Form>(...forms: readonly Form[]): () => Form {
  let turn = 0
  return () => forms[turn++ % forms.length]!
}
