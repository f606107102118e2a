import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isRemoteModel, type ModelChoice } from '../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../contract/manifests/models.ts'
import { jsonIn } from '../json.ts'

// Vectors and texts are stored under the name of their model. A service of the same name at another address may be another model, so what comes from there has
// the address in its name. What is stored from before addresses were recorded counts as made at the first address that answers.

/** Below the state folder of a profile, beside what the models made; it is removed together with it. */
const FILE = 'model-addresses.json'
const Addresses = z.record(z.string(), z.string())

/** The digest of the address that the first vectors or texts of a name came from, by role and name. */
export type ModelAddresses = Map<string, string>

export function readAddresses(stateDir: string): ModelAddresses {
  try {
    return new Map(Object.entries(Addresses.parse(jsonIn(readFileSync(join(stateDir, FILE), 'utf8')))))
  } catch {
    return new Map()
  }
}

const keyOf = (role: ModelRole, name: string): string => `${role} ${name}`

/** Null for a model of this machine. The address has no variables left. */
function digestOf(choice: ModelChoice): string | null {
  if (!isRemoteModel(choice)) return null
  const url = new URL(choice.base_url)
  if (['localhost', '[::1]'].includes(url.hostname)) url.hostname = '127.0.0.1'
  return hash('sha256', `${url.origin}${url.pathname}`.replace(/\/+$/, '')).slice(0, 16)
}

/** The name that what a model makes in a role is stored under. */
export function addressedName(known: ModelAddresses, role: ModelRole, name: string, choice: ModelChoice): string {
  const digest = digestOf(choice)
  const first = known.get(keyOf(role, name))
  return digest === null || first === undefined || first === digest ? name : `${name} (at ${digest})`
}

/** Records the address of a model that answered, where it is the first of its name. One that cannot be written is recorded after a later start. */
export function rememberAddress(
  stateDir: string,
  known: ModelAddresses,
  role: ModelRole,
  name: string,
  choice: ModelChoice,
): void {
  const digest = digestOf(choice)
  if (digest === null || known.has(keyOf(role, name))) return
  known.set(keyOf(role, name), digest)
  const file = join(stateDir, FILE)
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`, { flush: true })
    renameSync(`${file}.new`, file)
  } catch {
    // Until then, equal names count as equal models.
  }
}
