/**
 * How often a test repeats what is left to chance, such as the moment of a kill: `full` times in CI, a third of that on a person's machine, where
 * somebody waits for it. `TEST_REPETITIONS=full` asks for all of them there.
 */
export const repetitions = (full: number): number =>
  process.env['CI'] === 'true' || process.env['TEST_REPETITIONS'] === 'full' ? full : Math.ceil(full / 3)
