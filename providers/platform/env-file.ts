import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { VARIABLES } from '../../contract/index.ts'
import type { VariableName } from '../../contract/index.ts'
import { readManifest } from './manifest-file.ts'

/**
 * The `env_file` of consumer.yaml. A project may come from anyone (decision 057), so it may set limits of the platform and nothing else: no address, path,
 * credential or choice of who may come in.
 */
const LIMIT = /^(?:bytes|whole |seconds|number)/
const MOST_BYTES = 65_536

const isLimit = (name: string): name is VariableName => {
  if (!Object.hasOwn(VARIABLES, name)) return false
  const { by, form, isSecret } = VARIABLES[name as VariableName]
  return by === 'platform' && LIMIT.test(form) && isSecret !== true
}

/**
 * Values of the file that the manifest in `manifests` names; none where there is no file. Another variable of this program is a
 * problem with its name; those of other programs are left alone.
 */
export function readEnvFile(manifests: string): { values: Record<string, string>; problems: string[] } {
  const nothing = { values: {}, problems: [] }
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
    return { values: {}, problems: [`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`] }
  }
  if (text.length > MOST_BYTES) return { values: {}, problems: [`${file}: larger than ${MOST_BYTES} bytes`] }
  const entries = Object.entries(parseEnv(text)).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  // What other programs keep in such a file is theirs.
  const foreign = entries.filter(([key]) => Object.hasOwn(VARIABLES, key) && !isLimit(key)).map(([key]) => key)
  return {
    values: Object.fromEntries(entries.filter(([key]) => isLimit(key))),
    problems: foreign.map(
      (key) => `${file}: ${key}: a project may set limits of the platform only; set this in the environment`,
    ),
  }
}
