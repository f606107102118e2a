import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ServiceModel } from '../../contract/http/service-model.ts'
import { startFileServer, type FileServer } from '../../tests/helpers/file-server.ts'
import { loadConverterConfig } from './config.ts'
import { PP_OCR_MODEL, TABLE_MODEL } from './model-routes.ts'
import { startConverter } from './server.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'

let folder: string
let hub: FileServer
beforeEach(async () => {
  folder = await temporaryFolder('converter-models')
  hub = await startFileServer()
  onTestFinished(() => hub.close())
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
  onTestFinished(() => converter.close())
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

const PATH = `/v1/models/${TABLE_MODEL.id}`
const serveFiles = () => {
  for (const { path } of TABLE_MODEL.files) hub.files.set(`/${TABLE_MODEL.id}/resolve/main/${path}`, Buffer.from(path))
}
const inAll = TABLE_MODEL.files.reduce((sum, { path }) => sum + path.length, 0)

it('the models of conversions are reported in the form that pages read; what is part of the installation neither fetched nor removed', async () => {
  const { ask } = await start()
  const models = z.array(ServiceModel).parse((await ask('GET', '/v1/models')).body['models'])
  expect(models.map(({ id, installed, pinned, experimental }) => [id, installed, pinned, experimental])).toEqual([
    ['tesseract-eng', true, null, false],
    ['pdfium-layout', true, null, false],
    [TABLE_MODEL.id, false, false, true],
    [PP_OCR_MODEL.id, false, true, false],
  ])
  for (const method of ['POST', 'DELETE'])
    for (const id of ['unlisted/knows-it', 'tesseract-eng'])
      expect((await ask(method, `/v1/models/${id}`)).status).toBe(404)
})

describe('the table model', () => {
  it('is listed with its licence and source, fetched on request, and stays until it is removed', async () => {
    serveFiles()
    const { ask, tableModel } = await start()
    const absent = {
      id: TABLE_MODEL.id,
      task: 'table structure (table_mode accurate)',
      license: 'MIT',
      installed: false,
      download_bytes: null,
      source_page: `https://huggingface.co/${TABLE_MODEL.id}`,
      progress: null,
      pinned: false,
      experimental: true,
      failure: null,
    }
    expect(await tableModel()).toEqual(absent)
    const there = { ...absent, installed: true, download_bytes: inAll }
    expect(await ask('POST', PATH)).toEqual({ status: 200, body: there })
    expect(await tableModel()).toEqual(there)
    expect(await ask('DELETE', PATH)).toEqual({ status: 200, body: absent })
    expect(await tableModel()).toEqual(absent)
    expect((await ask('DELETE', PATH)).status).toBe(404)
  })

  it('reports the bytes received, and stops when it is removed meanwhile', async () => {
    serveFiles()
    hub.faults = [{ hangAfter: 5 }]
    const { ask, tableModel } = await start()
    const fetching = ask('POST', PATH)
    await expect.poll(async () => (await tableModel())?.['progress']).toMatchObject({ received_bytes: 5 })
    expect((await ask('DELETE', PATH)).status).toBe(200)
    expect((await fetching).status).toBe(409)
    expect(await tableModel()).toMatchObject({ installed: false, progress: null, failure: null })
  })

  it('is refused with the folder to put it in where there is no network, and the reason is kept', async () => {
    const { ask, tableModel } = await start({ RAG_LADDER_OFFLINE: '1' })
    const { status, body } = await ask('POST', PATH)
    expect([status, body['detail']]).toEqual([
      503,
      expect.stringContaining(`put the model's files into ${join(folder, TABLE_MODEL.id)}`),
    ])
    expect(body['detail']).toMatch(/Until then tables are found by rules$/)
    expect((await tableModel())?.['failure']).toBe(body['detail'])
  })
})
