// `rag-ladder models key set|remove|list`: keys of connections that are stored on this computer.
import { Identifier } from '../../../contract/common.ts'
import { connectionAddress } from '../../../contract/manifests/model-connections.ts'
import { deleteKey } from '../../lib/trust/model-keys.ts'
import { originOf } from '../../lib/trust/trusted-addresses.ts'
import { connectionNamed, removeConnectionKey, setConnectionKey } from '../../manifests/models/connect-models.ts'
import { keyState, originForKey, unusedKeys } from '../../manifests/models/connection-keys.ts'
import type { loadModels } from '../../manifests/experiment.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, textOption, type ExitCode } from '../command.ts'
import { readSecret } from '../read-secret.ts'
import type { VerbCall } from '../verbs.ts'

type KeyCall = VerbCall<{ root: string; loaded: Awaited<ReturnType<typeof loadModels>> }>

export const KEY_USAGE = 'key set NAME | key remove NAME [--url ADDRESS] | key list'

/** Runs one of the three; the key itself is read from standard input only. */
export function manageKeys(call: KeyCall): Promise<ExitCode> {
  const [action, name] = call.args
  if (action === 'list' && name === undefined) return listKeys(call)
  if (action === 'set' && name !== undefined) return setKey(call, name)
  if (action === 'remove' && name !== undefined) return removeKey(call, name)
  throw new InputError([`usage: rag-ladder models ${KEY_USAGE}`])
}

async function setKey({ root, loaded, invocation, print }: KeyCall, name: string): Promise<ExitCode> {
  const connection = connectionNamed(loaded, name)
  // Before anything is typed: an address that cannot be used cannot get a key.
  const origin = originForKey(name, connection, invocation.env)
  const key = await readSecret(`Key of ${name} for ${origin} (not shown): `)
  await setConnectionKey(root, name, key, invocation.env)
  print(`Stored the key of ${name} for ${origin}. Test it: rag-ladder models test ${name}`)
  return EXIT.ok
}

async function removeKey({ root, loaded, invocation, print }: KeyCall, name: string): Promise<ExitCode> {
  const url = textOption(invocation, 'url')
  if (url === null) {
    await removeConnectionKey(root, name, invocation.env)
    const { variable } = await keyState(name, withoutStored(loaded, name), invocation.env)
    print(`Removed the stored key of ${name}${variable === null ? '' : `, which reads ${variable} again`}.`)
    return EXIT.ok
  }
  const origin = originOf(url)
  if (origin === null || !Identifier.safeParse(name).success)
    throw new InputError([`invalid value for --url: expected an address such as https://llm.example.com, got ${url}`])
  if (!(await deleteKey(invocation.env, name, origin)))
    throw new InputError([`no key is stored for ${name} at ${origin}; see: rag-ladder models key list`])
  print(`Removed the stored key of ${name} for ${origin}.`)
  return EXIT.ok
}

function withoutStored({ connections }: KeyCall['loaded'], name: string) {
  const { api_key: _stored, ...connection } = connections[name]!
  return connection
}

async function listKeys({ loaded, invocation, print }: KeyCall): Promise<ExitCode> {
  for (const [name, connection] of Object.entries(loaded.connections)) {
    const { place, variable, isThere } = await keyState(name, connection, invocation.env)
    const words = {
      none: '● no key needed',
      environment: isThere ? `● in ${variable}` : `○ ${variable} is not set`,
      stored: isThere ? '● stored' : `▲ not stored: rag-ladder models key set ${name}`,
    }
    print(`  ${name}  ${words[place]} · ${connectionAddress(connection)}`)
  }
  const unused = await unusedKeys(loaded.connections, invocation.env)
  if (unused.length > 0) print('Stored, and not used by this project:')
  for (const { connection, origin } of unused)
    print(`  ${connection}  ${origin} · to remove it: rag-ladder models key remove ${connection} --url ${origin}`)
  return EXIT.ok
}
