import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { loadConverterConfig } from '../converter/config.ts'
import { startConverter } from '../converter/server.ts'
import { loadAdapterConfig } from './config.ts'
import { startAdapter } from './server.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { listenLocally } from '../../tests/helpers/local-server.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('adapter')
})

const ADAPTER_TOKEN = 'of-the-adapter'
const AUTHORIZED = { authorization: `Bearer ${ADAPTER_TOKEN}` }

async function adapter(converterUrl: string, env: Record<string, string> = {}) {
  const config = loadAdapterConfig({
    DOCCONV_ENDPOINT: converterUrl,
    DOCCONV_API_TOKEN: 'secret',
    DOCCONV_ADAPTER_LOG_LEVEL: 'silent',
    DOCCONV_ADAPTER_API_TOKEN: ADAPTER_TOKEN,
    DOCCONV_MAX_FILE_SIZE: '100000',
    DOCCONV_ADAPTER_MAX_RESULT_BYTES: '200000',
    RAG_LADDER_STATE_DIR: folder,
    ...env,
  })
  const running = await startAdapter(config)
  onTestFinished(() => running.close())
  const post = async (name: string, text: string, more: readonly string[] = []): Promise<Response> => {
    const form = new FormData()
    for (const each of [text, ...more]) form.append('files', new Blob([each]), name)
    // The graph engine always sends these along.
    for (const [field, value] of Object.entries({ pipeline: 'standard', target_type: 'zip', force_ocr: 'true' }))
      form.append(field, value)
    return fetch(`${running.url}/v1/convert/file/async`, { method: 'POST', body: form, headers: AUTHORIZED })
  }
  const taskOf = async (response: Response): Promise<string> => ((await response.json()) as { task_id: string }).task_id
  const status = async (id: string): Promise<string> => {
    const body = await poll(id)
    return body.task_status ?? body.detail ?? ''
  }
  const poll = async (id: string, wait = 0): Promise<PolledTask> =>
    (await (
      await fetch(`${running.url}/v1/status/poll/${id}?wait=${wait}`, { headers: AUTHORIZED })
    ).json()) as PolledTask
  const result = (id: string, method = 'GET'): Promise<Response> =>
    fetch(`${running.url}/v1/result/${id}`, { method, headers: { ...AUTHORIZED, range: 'bytes=0-9' } })
  return { ...running, post, taskOf, status, poll, result }
}

interface PolledTask {
  task_status?: string
  error_message?: string
  detail?: string
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

/** A converter with scripted answers. */
async function scripted(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response))
  })
  const { url, close } = await listenLocally(server)
  onTestFinished(close)
  return url
}

it('the real converter’s results: the adapter reports its state, and gives the ZIP once, whole and under the upload’s own name', async () => {
  const env = {
    DOCCONV_API_TOKEN: 'secret',
    DOCCONV_PORT: '0',
    DOCCONV_LOG_LEVEL: 'silent',
    DOCCONV_CACHE_DIR: folder,
  }
  const converter = await startConverter(loadConverterConfig(env))
  onTestFinished(() => converter.close())
  const { post, taskOf, status, poll, result } = await adapter(converter.url)
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
  const refused = await taskOf(await post('a.html', '\x01no document at all'))
  await expect.poll(() => status(refused)).toBe('failure')
  const reason =
    'the content is not one of PDF, DOCX, DOC, PPTX, PPT, XLSX, RTF, HTML, PNG, JPEG, TIFF and WebP (its name ends in .html)'
  expect(await poll(refused)).toMatchObject({ task_status: 'failure', error_message: reason })
  const failed = await result(refused)
  expect([failed.status, await failed.json()]).toEqual([200, { failure: { task_id: refused, error_message: reason } }])
})

describe('with a converter of scripted answers', () => {
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
      'POST /v1/convert/file/async HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: of-the-adapter\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500\r\n\r\n--x',
    )
    await expect.poll(async () => (await post('b.html', '')).status).toBe(429)
    slow.destroy()
    await expect.poll(async () => (await post('b.html', 'x')).status).toBe(202)
  })

  it('cancels a download that is not fetched by its deadline, and its slot with it', async () => {
    // More than the buffers of both ends hold.
    const url = await scripted((_request, response) => void response.end(Buffer.alloc(30_000_000)))
    const { post, taskOf, status, port } = await adapter(url, {
      DOCCONV_ADAPTER_MAX_JOBS: '1',
      DOCCONV_ADAPTER_MAX_RESULT_BYTES: '30000000',
      DOCCONV_ADAPTER_DOWNLOAD_TIMEOUT_SECONDS: '3',
    })
    const id = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => status(id)).toBe('success')
    const reader = connect(port, '127.0.0.1')
    reader.write(`GET /v1/result/${id} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${ADAPTER_TOKEN}\r\n\r\n`)
    await once(reader, 'data')
    reader.pause()
    expect((await post('b.html', 'x')).status).toBe(429)
    await expect.poll(async () => (await post('b.html', 'x')).status, { timeout: 10_000 }).toBe(202)
    reader.destroy()
    const [results] = await readdir(folder)
    expect(await readdir(join(folder, results!))).not.toContain(`${id}.zip`)
  })

  it('discards a result that was never fetched, with its file and slot', async () => {
    const url = await scripted((_request, response) => void response.end('zip'))
    const { post, taskOf, status } = await adapter(url, {
      DOCCONV_ADAPTER_MAX_JOBS: '1',
      DOCCONV_ADAPTER_RESULT_TTL_SECONDS: '3',
    })
    const id = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => status(id)).toBe('success')
    const [results] = await readdir(folder)
    expect(await readdir(join(folder, results!))).toHaveLength(1)
    await expect.poll(() => status(id), { timeout: 5000 }).toBe('Task not found')
    await expect.poll(async () => (await post('a.html', 'x')).status).toBe(202)
  })
})

describe('the credential', () => {
  const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number> =>
    fetch(`${url}/v1/status/poll/unknown`, { headers }).then(({ status }) => status)

  it('every route but health refuses callers without the token of the adapter', async () => {
    const url = await scripted((_request, response) => void response.end('zip'))
    const running = await adapter(url)
    const form = new FormData()
    form.append('files', new Blob(['x']), 'a.html')
    const upload = await fetch(`${running.url}/v1/convert/file/async`, { method: 'POST', body: form })
    expect([upload.status, await upload.json()]).toEqual([401, { detail: 'Authentication required' }])
    expect(await statusOf(running.url)).toBe(401)
    expect(await statusOf(running.url, { authorization: 'Bearer secret' })).toBe(401)
    expect(await statusOf(running.url, { 'x-api-key': ADAPTER_TOKEN })).toBe(404)
    expect((await fetch(`${running.url}/health`)).status).toBe(200)
  })

  it('without a token nothing but health is answered, unless authentication is disabled by name', async () => {
    const closed = await adapter('http://127.0.0.1:1', { DOCCONV_ADAPTER_API_TOKEN: '' })
    expect([await statusOf(closed.url), (await fetch(`${closed.url}/health`)).status]).toEqual([503, 200])
    const open = await adapter('http://127.0.0.1:1', {
      DOCCONV_ADAPTER_API_TOKEN: '',
      DOCCONV_ADAPTER_AUTH_MODE: 'disabled',
    })
    expect(await statusOf(open.url)).toBe(404)
  })
})

describe('tasks', () => {
  it('a poll with wait is answered when the task ends, and not before', async () => {
    let waiting: ServerResponse | null = null
    const url = await scripted((_request, response) => void (waiting = response))
    const { post, taskOf, poll } = await adapter(url)
    const id = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => waiting).not.toBeNull()
    let isOver = false
    const polled = poll(id, 30).finally(() => (isOver = true))
    expect(await poll(id)).toMatchObject({ task_status: 'started' })
    expect(isOver).toBe(false)
    waiting!.end('zip')
    expect(await polled).toMatchObject({ task_status: 'success' })
  })

  it('HEAD returns the size of a result and leaves it to be read', async () => {
    const url = await scripted((_request, response) => void response.end('zip'))
    const { post, taskOf, poll, result } = await adapter(url)
    const id = await taskOf(await post('a.html', 'x'))
    await poll(id, 10)
    const head = await result(id, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.headers.get('content-type')]).toEqual([
      200,
      '3',
      'application/zip',
    ])
    expect(await (await result(id)).text()).toBe('zip')
    expect((await result(id, 'HEAD')).status).toBe(404)
  })

  it('an upload with two files is refused, and its place is free again', async () => {
    const url = await scripted((_request, response) => void response.end('zip'))
    const { post } = await adapter(url, { DOCCONV_ADAPTER_MAX_JOBS: '1' })
    const two = await post('a.html', 'x', ['y'])
    expect([two.status, await two.json()]).toEqual([
      422,
      { detail: "Only one file is accepted in 'files': send one request per file" },
    ])
    expect((await post('a.html', 'x')).status).toBe(202)
  })

  it('a second job waits for the first where the converter has one place, however long that takes', async () => {
    let busy: ServerResponse | null = null
    let refused = 0
    const url = await scripted((_request, response) => {
      if (busy === null) busy = response
      else {
        refused += 1
        response.writeHead(429, { 'retry-after': '0' }).end()
      }
    })
    const { post, taskOf, poll } = await adapter(url, { DOCCONV_ADAPTER_UPSTREAM_MAX_ATTEMPTS: '1' })
    const first = await taskOf(await post('a.html', 'x'))
    await expect.poll(() => busy).not.toBeNull()
    const second = await taskOf(await post('b.html', 'x'))
    await expect.poll(() => refused).toBe(1)
    const end = (): void => {
      const answer = busy!
      busy = null
      answer.end('zip')
    }
    end()
    expect(await poll(first, 10)).toMatchObject({ task_status: 'success' })
    await expect.poll(() => busy).not.toBeNull()
    end()
    expect(await poll(second, 10)).toMatchObject({ task_status: 'success' })
  })

  it('a converter that stays busy fails the task with the reason', async () => {
    const url = await scripted((_request, response) => void response.writeHead(429, { 'retry-after': '0' }).end())
    const { post, taskOf, poll } = await adapter(url)
    expect(await poll(await taskOf(await post('a.html', 'x')), 10)).toMatchObject({
      task_status: 'failure',
      error_message: 'The converter was busy 3 times; send the file again later',
    })
  })
})

it.each(['DOCCONV_UPLOAD_TIMEOUT_SECONDS', 'DOCCONV_INFERENCE_TIMEOUT_SECONDS'])(
  '%s of more than an hour is refused, as the converter refuses it',
  (name) => {
    expect(() => loadAdapterConfig({ DOCCONV_ENDPOINT: 'http://127.0.0.1:1', [name]: '5000' })).toThrow(name)
  },
)

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
