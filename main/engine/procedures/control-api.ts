import { implement } from '@orpc/server'
import { controlContract } from '../../../contract/control/router.ts'
import { transportErrorOf, type ControlContext } from '../http/control-route.ts'

/** The contract, to be filled with handlers that know their caller. */
export const control = implement(controlContract).$context<ControlContext>()

/** A stream whose failure is sent as a control error, like the failure of a call. */
export async function* withControlErrors<Item>(
  stream: AsyncIterable<Item>,
  report: (error: unknown) => void,
): AsyncGenerator<Item> {
  try {
    yield* stream
  } catch (error) {
    throw transportErrorOf(error, report)
  }
}

/** Aborts when the client disconnects or the engine stops, whichever is first. */
export const untilEither = (signal: AbortSignal | undefined, stopping: AbortSignal): AbortSignal =>
  signal === undefined ? stopping : AbortSignal.any([signal, stopping])
