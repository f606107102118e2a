import { isCredentialName } from '../../../core/credential-names.ts'
import { VARIABLES, type VariableName } from '../../../contract/settings/variables.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Credentials of services that the platform calls for documents and recordings. */
const OF_READERS: readonly string[] = ['DOCCONV_API_TOKEN', 'STT_API_TOKEN'] satisfies VariableName[]
/** All variables of plugins begin with it. */
const OF_PLUGINS = /^PLUGIN_/

/**
 * The credentials of an environment that the platform has a use for: those that it declares, those that the project's models and own approaches name, in a key or
 * an address, and those of its plugins. All others (of judges, of evidence, of the person's other programs) stay with the runner.
 */
export function platformCredentials(models: unknown, env: Environment): Record<string, string> {
  const ofModels = new Set(JSON.stringify(models).match(/[A-Z][A-Z0-9_]+/g))
  const isNeeded = (name: string): boolean =>
    ofModels.has(name) ||
    OF_PLUGINS.test(name) ||
    OF_READERS.includes(name) ||
    (Object.hasOwn(VARIABLES, name) && VARIABLES[name as VariableName].by === 'platform')
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' || !isCredentialName(name) || !isNeeded(name) ? [] : [[name, value] as const],
    ),
  )
}
