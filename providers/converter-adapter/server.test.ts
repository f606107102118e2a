import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConverterConfig } from '../converter/config.ts'
import { startConverter } from '../converter/server.ts'
import { loadAdapterConfig } from './config.ts'
import { startAdapter } from './server.ts'

let folder: string
let undo: (() => Promise<unknown>)[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-adapter-'))
  undo = [() => rm(folder, { recursive: true, force: true })]
})
afterEach(async () => {
  for (const action of undo.reverse()) await action()
})

async function adapter(converterUrl: string, env: Record<string, string> = {}) {
  const config = loadAdapterConfig({
    DOCCONV_ENDPOINT: converterUrl,
    DOCCONV_API_TOKEN: 'secret',
    DOCCONV_ADAPTER_LOG_LEVEL: 'silent',
    DOCCONV_MAX_FILE_SIZE: '100000',
    DOCCONV_ADAPTER_MAX_RESULT_BYTES: '200000',
    RAG_LADDER_STATE_DIR: folder,
    ...env,
  })
  const running = await startAdapter(config)
  undo.push(() => running.close())
  const post = async (name: string, text: string): Promise<Response> => {
    const form = new FormData()
    form.append('files', new Blob([text]), name)
    // What the graph engine always sends along.
    for (const [field, value] of Object.entries({ pipeline: 'standard', target_type: 'zip', force_ocr: 'true' }))
      form.append(field, value)
    return fetch(`${running.url}/v1/convert/file/async`, { method: 'POST', body: form })
  }
  const taskOf = async (response: Response): Promise<string> => ((await response.json()) as { task_id: string }).task_id
  const status = async (id: string): Promise<string> => {
    const body = (await (await fetch(`${running.url}/v1/status/poll/${id}?wait=5`)).json()) as {
      task_status?: string
      detail?: string
    }
    return body.task_status ?? body.detail ?? ''
  }
  const result = (id: string): Promise<Response> =>
    fetch(`${running.url}/v1/result/${id}`, { headers: { range: 'bytes=0-9' } })
  return { ...running, post, taskOf, status, result }
}

/** Time, date (0x21 is the first day of 1980) and mode of each entry, as the archive's directory has them. */
function entriesOf(archive: Buffer): { time: number; date: number; mode: number }[] {
  const found = []
  for (let at = archive.indexOf('PK\x01\x02'); at >= 0; at = archive.indexOf('PK\x01\x02', at + 4))
    found.push({
      time: archive.readUInt16LE(at + 12),
      date: archive.readUInt16LE(at + 14),
      mode: archive.readUInt32LE(at + 38) >>> 16,
    })
  return found
}

/** A converter that answers as told. */
async function scripted(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  undo.push(() => {
    server.closeAllConnections()
    return new Promise((done) => void server.close(done))
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

describe('with the real converter', () => {
  it('converts, tells its state, and gives the ZIP once, whole and under the upload’s own name', async () => {
    const env = {
      DOCCONV_API_TOKEN: 'secret',
      DOCCONV_PORT: '0',
      DOCCONV_LOG_LEVEL: 'silent',
      DOCCONV_CACHE_DIR: folder,
    }
    const converter = await startConverter(loadConverterConfig(env))
    undo.push(() => converter.close())
    const { post, taskOf, status, result } = await adapter(converter.url)
    const accepted = await post(
      '../Jahres bericht 報告.html',
      '<html><body><h1>Quay</h1><img alt="x" src="data:image/png;base64,AAAA"></body></html>',
    )
    const id = await taskOf(accepted)
    expect([accepted.status, id]).toEqual([202, expect.stringMatching(/^[\w-]{32}$/)])
    await expect.poll(() => status(id), { timeout: 15_000 }).toBe('success')
    const response = await result(id)
    expect([response.status, response.headers.get('content-type'), response.headers.get('accept-ranges')]).toEqual([
      200,
      'application/zip',
      null,
    ])
    const archive = Buffer.from(await response.arrayBuffer())
    expect(entriesOf(archive)).toEqual(new Array(3).fill({ time: 0, date: 0x21, mode: 0o100600 }))
    const files = unzipSync(archive)
    expect(Object.keys(files)).toEqual(['Jahres bericht 報告.json', 'Jahres bericht 報告.md', 'assets/image-0001.png'])
    expect(strFromU8(files['Jahres bericht 報告.md']!)).toBe('# Quay\n\n![x](assets/image-0001.png)\n')
    expect((await result(id)).status).toBe(404)
    const refused = await taskOf(await post('a.html', 'no document at all'))
    await expect.poll(() => status(refused)).toBe('failure')
    expect((await result(refused)).status).toBe(409)
  })
})

describe('with a converter that answers as told', () => {
  it('asks a full converter again, and never shows its credential', async () => {
    let calls = 0
    const seen: string[] = []
    const url = await scripted((request, response) => {
      calls += 1
      seen.push(request.headers.authorization ?? '')
      if (calls < 3) response.writeHead(429, { 'retry-after': '0' }).end()
      else response.writeHead(200).end('zip')
    })
    const { post, taskOf, status } = await adapter(url)
    const response = await post('a.html', 'x')
    const id = await taskOf(response)
    await expect.poll(() => status(id)).toBe('success')
    expect(seen).toEqual(['Bearer secret', 'Bearer secret', 'Bearer secret'])
    expect(JSON.stringify([...response.headers])).not.toContain('secret')
  })

  it('takes no more jobs than it has slots; a failed job frees its own at once, a read result too', async () => {
    const waiting: ServerResponse[] = []
    const url = await scripted((_request, response) => void waiting.push(response))
    const { post, taskOf, status, result } = await adapter(url, { DOCCONV_ADAPTER_MAX_JOBS: '1' })
    const first = await taskOf(await post('a.html', 'x'))
    const full = await post('b.html', 'x')
    expect([full.status, full.headers.get('retry-after'), await full.json()]).toEqual([
      429,
      '1',
      { detail: 'Adapter capacity is full' },
    ])
    expect((await result(first)).status).toBe(409)
    await expect.poll(() => waiting.length).toBe(1)
    waiting.shift()!.writeHead(500).end()
    await expect.poll(() => status(first)).toBe('failure')
    const second = await taskOf(await post('b.html', 'x'))
    await expect.poll(() => waiting.length).toBe(1)
    waiting.shift()!.end('zip')
    await expect.poll(() => status(second)).toBe('success')
    expect((await post('c.html', 'x')).status).toBe(429)
    expect(await (await result(second)).text()).toBe('zip')
    await expect.poll(async () => (await post('c.html', 'x')).status).toBe(202)
  })

  it('refuses empty and large uploads without losing a slot, and results over its limit', async () => {
    const url = await scripted((_request, response) => void response.end('z'.repeat(300_000)))
    const { post, taskOf, status } = await adapter(url, { DOCCONV_ADAPTER_MAX_JOBS: '1' })
    const empty = await post('a.html', '')
    expect([empty.status, await empty.json()]).toEqual([400, { detail: 'Upload is empty' }])
    const large = await post('a.html', 'x'.repeat(150_000))
    expect([large.status, await large.json()]).toEqual([413, { detail: 'Upload is too large' }])
    const id = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => status(id)).toBe('failure')
    expect(await status('unknown')).toBe('Task not found')
  })

  it('takes its slot before the body: a second upload is refused while the first still arrives, and a broken one gives it back', async () => {
    const url = await scripted((_request, response) => void response.end('zip'))
    const { post, port } = await adapter(url, { DOCCONV_ADAPTER_MAX_JOBS: '1' })
    const slow = connect(port, '127.0.0.1')
    slow.write(
      'POST /v1/convert/file/async HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500\r\n\r\n--x',
    )
    await expect.poll(async () => (await post('b.html', '')).status).toBe(429)
    slow.destroy()
    await expect.poll(async () => (await post('b.html', 'x')).status).toBe(202)
  })

  it('gives up a download that is not fetched by its deadline, and its slot with it', async () => {
    // More than the buffers of both ends hold.
    const url = await scripted((_request, response) => void response.end(Buffer.alloc(30_000_000)))
    const { post, taskOf, status, port } = await adapter(url, {
      DOCCONV_ADAPTER_MAX_JOBS: '1',
      DOCCONV_ADAPTER_MAX_RESULT_BYTES: '30000000',
      DOCCONV_ADAPTER_DOWNLOAD_TIMEOUT_SECONDS: '1',
    })
    const id = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => status(id)).toBe('success')
    const reader = connect(port, '127.0.0.1')
    reader.write(`GET /v1/result/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await once(reader, 'data')
    reader.pause()
    expect((await post('b.html', 'x')).status).toBe(429)
    await expect.poll(async () => (await post('b.html', 'x')).status, { timeout: 10_000 }).toBe(202)
    reader.destroy()
    const [results] = await readdir(folder)
    expect(await readdir(join(folder, results!))).not.toContain(`${id}.zip`)
  })

  it('forgets a result that nobody fetched, file and slot with it', async () => {
    const url = await scripted((_request, response) => void response.end('zip'))
    const { post, taskOf, status } = await adapter(url, {
      DOCCONV_ADAPTER_MAX_JOBS: '1',
      DOCCONV_ADAPTER_RESULT_TTL_SECONDS: '1',
    })
    const id = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => status(id)).toBe('success')
    const [results] = await readdir(folder)
    expect(await readdir(join(folder, results!))).toHaveLength(1)
    await expect.poll(() => status(id), { timeout: 5000 }).toBe('Task not found')
    await expect.poll(async () => (await post('a.html', 'x')).status).toBe(202)
  })
})

it('does not start with less temporary space than its jobs may need, or without a converter', async () => {
  expect(() =>
    loadAdapterConfig({ DOCCONV_ENDPOINT: 'http://127.0.0.1:1', DOCCONV_ADAPTER_TMPFS_SIZE: '300m' }),
  ).toThrow('DOCCONV_ADAPTER_TMPFS_SIZE')
  expect(() => loadAdapterConfig({})).toThrow('DOCCONV_ENDPOINT')
  const config = loadAdapterConfig({ DOCCONV_ENDPOINT: 'http://127.0.0.1:1', RAG_LADDER_STATE_DIR: folder })
  expect(config.tempSizeBytes).toBe(512 * 1024 * 1024)
  await expect(startAdapter(config, async () => 1000)).rejects.toThrow(
    `${folder}: 1000 bytes are free; 2 jobs may need`,
  )
})
