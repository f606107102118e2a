import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { isProjectLimit, MOST_ENV_FILE_BYTES } from '../../../contract/settings/project-limits.ts'
import { VARIABLES } from '../../../contract/settings/variables.ts'
import { readManifest } from './manifest-file.ts'

interface EnvFile {
  /** Limits that the file sets. */
  values: Record<string, string>
  /** A sentence about each thing that was not used. */
  warnings: string[]
}

/**
 * The limits in the file that the manifest in `manifests` names; none where there is no file. Other variables of this program are left out with a
 * warning, because a project may come from anyone; those of other programs are left alone.
 */
export function readEnvFile(manifests: string): EnvFile {
  const nothing = { values: {}, warnings: [] }
  // The manifest's own problems are reported where it is read as a whole.
  const manifest = readManifest(join(manifests, 'consumer.yaml'), z.looseObject({ env_file: z.string().nullish() }))
  const name = manifest.ok ? manifest.value.env_file : null
  if (name === null || name === undefined || name.split(/[/\\]/).includes('..')) return nothing
  const file = resolve(manifests, '..', name)
  if (!existsSync(file)) return nothing
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return {
      values: {},
      warnings: [`${file} is not used: it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`],
    }
  }
  if (text.length > MOST_ENV_FILE_BYTES)
    return { values: {}, warnings: [`${file} is not used: it is larger than ${MOST_ENV_FILE_BYTES} bytes`] }
  const entries = Object.entries(parseEnv(text)).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  // Variables of other programs in such a file are theirs.
  const ignored = entries.filter(([key]) => Object.hasOwn(VARIABLES, key) && !isProjectLimit(key)).map(([key]) => key)
  return {
    values: Object.fromEntries(entries.filter(([key]) => isProjectLimit(key))),
    warnings: ignored.map((key) => `${file}: ${key} is not used: a project may set limits of the platform only`),
  }
}
