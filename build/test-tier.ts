// `npm test` has two tiers. Where a person waits, tests repeat a few times what they leave to chance (tests/helpers/repetitions.ts), the browser
// runs the main page specs (tests/e2e/fast-specs.ts), and Electron repeats those that protect the person at the app (tests/e2e/shell-specs.ts).
// In CI, or after `npm test -- --full`, everything runs. The tier is decided here.

/** Asks for everything. */
const FULL_FLAG = '--full'

/** `full` lets tests that are started by themselves, such as by `npx vitest run tests/crash`, run as in CI. */
const TIER_VARIABLE = 'RAG_LADDER_TESTS'

type Environment = Record<string, string | undefined>

/** True where everything runs. */
export const isFullTier = (env: Readonly<Environment> = process.env): boolean =>
  env['CI'] === 'true' || env[TIER_VARIABLE] === 'full'

/** Takes the flag from the arguments of a test command and hands the tier to every process that it starts. Returns the other arguments. */
export function chooseTier(args: readonly string[], env: Environment = process.env): string[] {
  if (args.includes(FULL_FLAG)) env[TIER_VARIABLE] = 'full'
  return args.filter((arg) => arg !== FULL_FLAG)
}
