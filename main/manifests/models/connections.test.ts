import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nameButtonsInRemedies } from '../../../core/remedy.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { CONNECTIONS_FILE, serviceConnections, withConnections } from './connections.ts'

/** A project of this file, and a person who allowed `trusted`. */
async function project(file: string | null, trusted = ''): Promise<{ root: string; env: Record<string, string> }> {
  const root = await temporaryFolder('connections')
  await mkdir(join(root, 'manifests'))
  if (file !== null) await writeFile(join(root, CONNECTIONS_FILE), file)
  return { root, env: { RAG_LADDER_USER_DIR: join(root, 'user'), RAG_LADDER_TRUSTED_ADDRESSES: trusted } }
}

const FILE = `version: 1
services:
  vector_store: http://store.example:8080
  ray: http://head.example:8265
`

it('an address of the file that the person allowed is used, a variable replaces it, and another one is reported', async () => {
  const { root, env } = await project(FILE, 'http://store.example:8080')
  const warnings: string[] = []
  expect(await withConnections(root, env, (message) => warnings.push(message))).toEqual({
    ...env,
    VECTOR_STORE_URL: 'http://store.example:8080',
  })
  expect(warnings).toEqual([
    'manifests/connections.yaml: services.ray: http://head.example:8265 is not used, because you have not allowed it: rag-ladder trust http://head.example:8265',
  ])
  const own = { ...env, VECTOR_STORE_URL: 'http://127.0.0.1:1', RAY_URL: 'http://127.0.0.1:2' }
  warnings.length = 0
  expect(await withConnections(root, own, (message) => warnings.push(message))).toBe(own)
  expect(warnings).toEqual([])
  const sources = (await serviceConnections(root, env)).flatMap(({ name, source }) =>
    source === 'none' ? [] : [`${name} ${source}`],
  )
  expect(sources).toEqual(['vector_store file', 'ray not_allowed'])
  warnings.length = 0
  nameButtonsInRemedies()
  await withConnections(root, env, (message) => warnings.push(message)).finally(() => nameButtonsInRemedies(false))
  expect(warnings.join()).toMatch(/Allow it on the page Settings$/)
})

it('a project without the file leaves the environment as it is', async () => {
  const { root, env } = await project(null)
  expect(await withConnections(root, env, () => expect.unreachable())).toBe(env)
})

it('refuses a service that does not exist and an address with a credential, by their paths', async () => {
  const { root, env } = await project('version: 1\nservices: { blender: "http://a.example" }\n')
  await expect(serviceConnections(root, env)).rejects.toThrow(/services/)
  const other = await project('version: 1\nservices: { ray: "http://user:secret@a.example" }\n')
  const refused = serviceConnections(other.root, other.env)
  await expect(refused).rejects.toThrow('services.ray: remove user name and password')
  await expect(refused).rejects.not.toThrow('secret@')
})
