import { expect, it } from 'vitest'
import type { ModelChoice } from '../../../contract/manifests/model-backends.ts'
import type { SelectedModels } from '../../../core/select-models.ts'
import { fakeModelHost } from '../../../tests/helpers/fake-model-host.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { withAddresses } from './model-addresses.ts'

/** The models of a platform that starts in a folder, with one service for all work. */
function started(folder: string, base_url: string | null, embedAll?: () => Error) {
  const choice = base_url === null ? { backend: 'builtin', model: 'm' } : { backend: 'openai', model: 'm', base_url }
  const roles = Object.fromEntries(
    ['embed', 'graph_extract', 'contextual_blurb'].map((role) => [role, choice as ModelChoice]),
  ) as SelectedModels['roles']
  const host = fakeModelHost({ chat: () => 'text', ...(embedAll === undefined ? {} : { embedAll }) })
  const models = withAddresses(host, { name: 'own', roles }, folder)
  return {
    names: () => [models.embeddingSpace(), models.writer('graph_extract')],
    work: async () => {
      await models.embed('embed', ['text'], 'document')
      await models.chat('graph_extract', { messages: [] })
    },
  }
}

it('what a model of the same name made at another address has another name, and that of the first address keeps its own', async () => {
  const folder = await temporaryFolder()
  const first = started(folder, 'http://a/v1')
  const plain = first.names()
  await first.work()
  expect(first.names()).toEqual(plain)
  expect(started(folder, 'http://a/v1/').names()).toEqual(plain)
  const second = started(folder, 'http://b/v1')
  expect(second.names()).toEqual(
    plain.map((name) => expect.stringMatching(`^${name} \\(at [0-9a-f]{16}\\)$`) as string),
  )
  await second.work()
  expect(started(folder, 'http://a/v1').names()).toEqual(plain)
})

it('an address that never answered and a model of this machine leave names as they are', async () => {
  const folder = await temporaryFolder()
  await started(folder, null).work()
  await expect(started(folder, 'http://down/v1', () => new Error('down')).work()).rejects.toThrow('down')
  const works = started(folder, 'http://b/v1')
  const plain = works.names()
  await works.work()
  expect(started(folder, 'http://b/v1').names()).toEqual(plain)
})

it.each(['http://127.0.0.1:1/v1', 'http://[::1]:1/v1'])('localhost and %s are one address', async (address) => {
  const folder = await temporaryFolder()
  const first = started(folder, 'http://localhost:1/v1')
  await first.work()
  expect(started(folder, address).names()).toEqual(first.names())
})
