/**
 * Long calculations as generators: each `yield` is a moment at which other requests may run. Tests, benchmarks and small texts run them in one
 * go; the platform runs them with `runInTurns`, which leaves the thread whenever a turn is over.
 */
export type SlicedWork<Result> = Generator<undefined, Result, undefined>

/** Small steps, of a microsecond or so, between two moments at which other requests may run. */
export const SLICE_STEPS = 1000

/** Runs the work in one go. */
export function runAtOnce<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
