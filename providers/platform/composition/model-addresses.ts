import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isRemoteModel } from '../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../contract/manifests/models.ts'
import type { SelectedModels } from '../../../core/select-models.ts'
import type { ModelHost } from '../models/model-host.ts'

/** Below the state folder, beside what the models made; it is removed together with it. */
const FILE = 'model-addresses.json'
/** By role and name: a digest of the address that the first vectors or texts of that name came from. */
const Addresses = z.record(z.string(), z.string())

/**
 * Vectors and texts are stored under the name of their model. A service of the same name at another address may be another model, so what comes from there has
 * the address in its name. What is stored from before addresses were recorded counts as made at the first address that answers.
 */
export function withAddresses(models: ModelHost, { roles }: SelectedModels, stateDir: string): ModelHost {
  const file = join(stateDir, FILE)
  const known = readAddresses(file)
  const digestOf = (role: ModelRole): string | null => {
    const choice = roles[role]
    if (!isRemoteModel(choice)) return null
    const { origin, pathname } = new URL(choice.base_url)
    return hash('sha256', `${origin}${pathname}`.replace(/\/+$/, '')).slice(0, 16)
  }
  const named = (role: ModelRole, name: string): string => {
    const digest = digestOf(role)
    const first = known.get(`${role} ${name}`)
    return digest === null || first === undefined || first === digest ? name : `${name} (at ${digest})`
  }
  const remember = (role: ModelRole, name: string): void => {
    const digest = digestOf(role)
    const key = `${role} ${name}`
    if (digest === null || known.has(key)) return
    known.set(key, digest)
    writeAddresses(file, known)
  }
  return {
    ...models,
    embeddingSpace: () => named('embed', models.embeddingSpace()),
    writer: (role) => named(role, models.writer(role)),
    async embed(role, ...rest) {
      const vectors = await models.embed(role, ...rest)
      if (role === 'embed') remember(role, models.embeddingSpace())
      return vectors
    },
    async chat(role, ...rest) {
      const completion = await models.chat(role, ...rest)
      remember(role, models.writer(role))
      return completion
    },
  }
}

function readAddresses(file: string): Map<string, string> {
  try {
    return new Map(Object.entries(Addresses.parse(JSON.parse(readFileSync(file, 'utf8')))))
  } catch {
    return new Map()
  }
}

/** An address that cannot be written is recorded after a later start. */
function writeAddresses(file: string, known: ReadonlyMap<string, string>): void {
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`, { flush: true })
    renameSync(`${file}.new`, file)
  } catch {
    // Until then, equal names count as equal models.
  }
}
