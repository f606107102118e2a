// `npm test` has two tiers. Where a person waits, tests that simulate, sweep or measure are left out (build/left-to-ci.ts), the others repeat a few
// times what they leave to chance (tests/helpers/repetitions.ts), the browser runs the main page specs (tests/e2e/fast-specs.ts), and Electron
// repeats those that protect the person at the app (tests/e2e/shell-specs.ts).
// In CI, or after `npm test -- --full`, everything runs. The tier is decided here.

/** Asks for everything. */
const FULL_FLAG = '--full'

/**
 * `full` lets tests that are started by themselves, such as by `npx vitest run tests/crash`, run as in CI. `npm test` sets `fast` where it leaves
 * tests to CI: one that is named on a command line runs in every tier.
 */
export const TIER_VARIABLE = 'RAG_LADDER_TESTS'

type Environment = Record<string, string | undefined>

/** True where everything runs. */
export const isFullTier = (env: Readonly<Environment> = process.env): boolean =>
  env['CI'] === 'true' || env[TIER_VARIABLE] === 'full'

/** True in a run of all tests that leaves some to CI. */
export const isFastRun = (env: Readonly<Environment> = process.env): boolean =>
  !isFullTier(env) && env[TIER_VARIABLE] === 'fast'

/** Lets the tests of this run, and the processes that it starts, be those of the fast tier unless everything was asked for. */
export function leaveTestsToCi(env: Environment = process.env): void {
  if (!isFullTier(env)) env[TIER_VARIABLE] = 'fast'
}

/** Takes the flag from the arguments of a test command and hands the tier to every process that it starts. Returns the other arguments. */
export function chooseTier(args: readonly string[], env: Environment = process.env): string[] {
  if (args.includes(FULL_FLAG)) env[TIER_VARIABLE] = 'full'
  return args.filter((arg) => arg !== FULL_FLAG)
}
