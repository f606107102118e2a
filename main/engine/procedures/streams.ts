import { transportErrorOf } from '../http/control-route.ts'

/** A stream whose failure crosses as a control error, like the failure of a call. */
export async function* told<Item>(stream: AsyncIterable<Item>, report: (error: unknown) => void): AsyncGenerator<Item> {
  try {
    yield* stream
  } catch (error) {
    throw transportErrorOf(error, report)
  }
}

/** Ends with the client or with the engine, whichever goes first. */
export const untilEither = (signal: AbortSignal | undefined, stopping: AbortSignal): AbortSignal =>
  signal === undefined ? stopping : AbortSignal.any([signal, stopping])
