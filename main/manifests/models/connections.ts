import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  ConnectionsFile,
  EXTERNAL_SERVICE_NAMES,
  EXTERNAL_SERVICES,
  type ExternalService,
} from '../../../contract/manifests/connections.ts'
import type { VariableName } from '../../../contract/settings/variables.ts'
import { isTrusted, originOf } from '../../lib/trust/trusted-addresses.ts'
import { loadManifest } from '../load-manifest.ts'
import { remedyFor } from '../../../core/remedy.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const CONNECTIONS_FILE = 'manifests/connections.yaml'

/** Describes where the address of a service comes from. `not_allowed`: the file names one that this person has not allowed, so it is not used. */
export interface ServiceConnection {
  name: ExternalService
  variable: VariableName
  address: string | null
  source: 'variable' | 'file' | 'not_allowed' | 'none'
}

/** The addresses of services outside of this program: a variable comes first, then the project's file. Throws `ManifestError`. */
export async function serviceConnections(root: string, env: Environment): Promise<ServiceConnection[]> {
  const file = existsSync(resolve(root, CONNECTIONS_FILE))
    ? await loadManifest(root, CONNECTIONS_FILE, ConnectionsFile)
    : null
  return EXTERNAL_SERVICE_NAMES.map((name) => {
    const { variable } = EXTERNAL_SERVICES[name]
    const own = env[variable] ?? ''
    const declared = file?.services[name] ?? null
    if (own !== '') return { name, variable, address: own, source: 'variable' }
    if (declared === null) return { name, variable, address: null, source: 'none' }
    // A project may come from anybody, and credentials of this person go to these addresses.
    return { name, variable, address: declared, source: isTrusted(declared, env) ? 'file' : 'not_allowed' }
  })
}

/**
 * The environment with the addresses of the project's file where no variable names one, for everything that reads variables. `warn` gets a
 * message for each address that this person has not allowed yet. Throws `ManifestError`.
 */
export async function withConnections<Env extends Environment>(
  root: string,
  env: Env,
  warn: (message: string) => void,
): Promise<Env> {
  const connections = await serviceConnections(root, env)
  for (const { name, address, source } of connections)
    if (source === 'not_allowed')
      warn(
        `${CONNECTIONS_FILE}: services.${name}: ${address} is not used, because you have not allowed it${remedyFor({ panel: '. Allow it on the page Settings', commandLine: `: rag-ladder trust ${originOf(address!)}` })}`,
      )
  const used = connections.filter(({ source }) => source === 'file')
  return used.length === 0
    ? env
    : { ...env, ...Object.fromEntries(used.map(({ variable, address }) => [variable, address])) }
}
