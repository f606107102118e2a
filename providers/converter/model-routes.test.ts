import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFileServer } from '../../tests/helpers/file-server.ts'
import type { FileServer } from '../../tests/helpers/file-server.ts'
import { loadConverterConfig } from './config.ts'
import { startConverter } from './server.ts'
import { TABLE_MODEL } from './tables/declared-table-model.ts'

let folder: string
let hub: FileServer
let undo: (() => Promise<unknown>)[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-converter-models-'))
  hub = await startFileServer()
  undo = [() => hub.close(), () => rm(folder, { recursive: true, force: true })]
})
afterEach(async () => {
  for (const action of undo.reverse()) await action()
})

async function start(env: Record<string, string> = {}) {
  const converter = await startConverter(
    loadConverterConfig({
      DOCCONV_AUTH_MODE: 'disabled',
      DOCCONV_PORT: '0',
      DOCCONV_LOG_LEVEL: 'silent',
      RAG_LADDER_MODELS_DIR: folder,
      HF_ENDPOINT: `${hub.url}/hub`,
      ...env,
    }),
  )
  undo.push(() => converter.close())
  const ask = async (method: string, path: string) => {
    const response = await fetch(`${converter.url}${path}`, { method })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const tableModel = async () =>
    ((await ask('GET', '/v1/models')).body['models'] as Record<string, unknown>[]).find(
      ({ id }) => id === TABLE_MODEL.id,
    )
  return { ask, tableModel }
}

describe('the table model', () => {
  it('is told with its licence and its source, fetched when asked for, and is there from then on', async () => {
    for (const { path } of TABLE_MODEL.files)
      hub.files.set(`/${TABLE_MODEL.id}/resolve/main/${path}`, Buffer.from(path))
    const { ask, tableModel } = await start()
    expect(await tableModel()).toMatchObject({
      installed: false,
      license: 'MIT',
      source: `https://huggingface.co/${TABLE_MODEL.id}`,
      folder: join(folder, TABLE_MODEL.id),
    })
    const fetched = await ask('POST', `/v1/models/${TABLE_MODEL.id}`)
    expect([fetched.status, fetched.body['installed']]).toEqual([200, true])
    expect(await tableModel()).toMatchObject({ installed: true })
    expect((await ask('POST', '/v1/models/nobody/knows-it')).status).toBe(404)
  })

  it('is refused with the folder to put it in where there is no network', async () => {
    const { ask } = await start({ RAG_LADDER_OFFLINE: '1' })
    const { status, body } = await ask('POST', `/v1/models/${TABLE_MODEL.id}`)
    expect([status, body['detail']]).toEqual([
      503,
      expect.stringContaining(`put the model's files into ${join(folder, TABLE_MODEL.id)}`),
    ])
    expect(body['detail']).toMatch(/Until then tables are found by rules$/)
  })
})
