import { importsDigest, keep, readKept, readSources, sourcesToCheck } from './checked-files.ts'
import { LESS_COLLECTING, runTool, type StepResult } from './run-step.ts'
import { isFullTier } from './test-tier.ts'
import { checkWalls } from './walls.ts'

/** More files than that are not named one by one: a command line of Windows has at most 32,767 characters. */
const MOST_NAMED = process.platform === 'win32' ? 400 : 2000

const NAME = 'lint and types'

/**
 * Lints all sources and checks their types, in one pass. In the fast tier it looks at what was edited since the last pass that found nothing,
 * and at what imports that. Files of an area are checked by its tsconfig.json.
 */
export async function lintSources(): Promise<StepResult> {
  const sources = isFullTier() ? null : readSources()
  const kept = sources === null ? null : (readKept('linted') as [string, string][] | null)
  const files = sources === null || kept === null ? null : sourcesToCheck(sources, new Map(kept))
  const named = files === null || files.length > MOST_NAMED ? ['.'] : files
  const rest = named[0] === '.' ? '' : `${named.length} of ${sources!.imports.size} files`
  if (named.length === 0) return { name: NAME, ok: true, output: rest, seconds: 0 }
  const flags = ['--type-aware', '--type-check', '--deny-warnings']
  const result = await runTool(NAME, 'oxlint', [...flags, ...named], LESS_COLLECTING)
  if (!result.ok) return result
  if (sources !== null) keep('linted', [...sources.hashes])
  return { ...result, output: rest }
}

/** Checks the import walls, in the fast tier only where an import differs from the last time that they were kept. */
export async function checkImports(): Promise<{ problems: string[]; note: string }> {
  const sources = isFullTier() ? null : readSources()
  const digest = sources === null ? null : importsDigest(sources)
  const kept = readKept('walls') as { digest: string; modules: number } | null
  if (digest !== null && kept?.digest === digest)
    return { problems: [], note: `${kept.modules} modules read, with the same imports as before` }
  const { problems, modules } = await checkWalls()
  if (digest !== null && problems.length === 0) keep('walls', { digest, modules })
  return { problems, note: `${modules} modules read` }
}
