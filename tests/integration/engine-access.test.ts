import { mkdir, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTENT_SECURITY_POLICY } from '../../main/engine/http/content-security-policy.ts'
import { smokeProject } from '../helpers/cli.ts'
import { clientOf, failureOf, pageHeaders, startEngine, type EngineProcess } from '../helpers/engine-process.ts'

let root: string
let pages: string
let engine: EngineProcess

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** A request with exactly these headers and this path, which `fetch` would not send. */
function send(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  const { port } = new URL(engine.url)
  return new Promise((done, fail) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => done({ status: response.statusCode!, headers: response.headers, body: text }))
      },
    )
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}

const call = (headers: Record<string, string>, body = '{}') =>
  send('POST', '/control/system/status', { 'content-type': 'application/json', ...headers }, body)
const bearer = () => ({ authorization: `Bearer ${engine.token}` })
const codeOf = ({ body }: Answer) => (JSON.parse(body) as { json: { data: { code: string } } }).json.data.code

beforeAll(async () => {
  root = await smokeProject()
  pages = join(root, 'pages')
  await mkdir(join(pages, 'assets'), { recursive: true })
  await writeFile(join(pages, 'index.html'), '<!doctype html><title>panel</title>')
  await writeFile(join(pages, 'assets/app-1a2b3c4d.js'), 'export {}')
  engine = await startEngine(root, { RAG_LADDER_RENDERER_DIR: pages })
})
afterAll(async () => {
  expect(await engine.stop()).toBe(0)
  await rm(root, { recursive: true, force: true })
})

describe('the control API', () => {
  it('answers the launch token and no other', async () => {
    expect((await call(bearer())).status).toBe(200)
    const strangers: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { cookie: `session=${engine.token}` },
    ]
    for (const headers of strangers) {
      const answer = await call(headers)
      expect(answer.status).toBe(401)
      expect(codeOf(answer)).toBe('unauthorized')
      expect(answer.body).not.toContain(root)
    }
  })

  it('refuses every foreign Host, Origin and site, also with the token', async () => {
    expect((await call({ ...bearer(), host: 'evil.example' })).status).toBe(421)
    expect((await call({ ...bearer(), host: 'localhost' })).status).toBe(421)
    expect((await call({ ...bearer(), origin: 'http://evil.example' })).status).toBe(403)
    expect((await call({ ...bearer(), origin: 'null' })).status).toBe(403)
    expect((await call({ ...bearer(), 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })

  it('refuses what a form of a foreign page can send', async () => {
    const forms = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']
    for (const type of forms) expect((await call({ ...bearer(), 'content-type': type })).status).toBe(415)
    expect((await send('GET', '/control/system/status', bearer())).status).toBe(405)
  })

  it('answers what is no call with a control error', async () => {
    expect(codeOf(await call(bearer(), '{'))).toBe('input_invalid')
    const unknown = await send('POST', '/control/no/such', { 'content-type': 'application/json', ...bearer() }, '{}')
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 'not_found'])
    // Refused by what it declares; unread bytes would end the connection before the answer is seen.
    const huge = await call({ ...bearer(), 'content-length': '50000000' }, '{"json":"x')
    expect([huge.status, codeOf(huge)]).toEqual([413, 'request_too_large'])
    expect(await failureOf(engine.client.matrix.page({ run_id: '', dataset_id: 'x', metric: 'faithfulness' }))).toEqual(
      {
        code: 'input_invalid',
        message: expect.stringContaining('run_id'),
        retryable: false,
        details: { problems: [{ path: 'run_id', message: expect.any(String) }] },
      },
    )
  })

  it('refuses an address that cannot be decoded like any other, without repeating it', async () => {
    for (const path of ['/control/%', '/%E0%A4%A', '/control/%zz<script>']) {
      const answer = await send('GET', path)
      expect([answer.status, codeOf(answer)]).toEqual([400, 'input_invalid'])
      expect(answer.body).not.toContain('%')
      expect(answer.headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY)
      expect((await send('GET', path, { host: 'evil.example' })).status).toBe(421)
    }
  })

  it('is ready soon in a project without results', async () => {
    await expect.poll(async () => (await engine.client.system.status()).index.state).toBe('ready')
  })

  it('listens on this machine only', async () => {
    expect(new URL(engine.url).hostname).toBe('127.0.0.1')
    const { port } = new URL(engine.url)
    await expect(fetch(`http://[::1]:${port}/`)).rejects.toThrow()
  })
})

describe('a browser', () => {
  it('gets a session from a link, once, and uses it from our own page only', async () => {
    const { url } = await engine.client.system.browserLink()
    const opened = await fetch(url, { redirect: 'manual' })
    expect(opened.status).toBe(303)
    expect(opened.headers.get('location')).toMatch(/^\/\?page-key=[\w-]{43}$/)
    const cookie = opened.headers.get('set-cookie')!
    expect(cookie).toMatch(/; Path=\/; .*HttpOnly; SameSite=Strict$/)
    const session = cookie.split(';')[0]!
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(403)
    expect((await fetch(url, { redirect: 'manual', headers: { cookie: session } })).status).toBe(303)

    const own = pageHeaders(opened)
    expect(own).toMatchObject({ cookie: session, origin: engine.url })
    expect((await call({ cookie: session, origin: engine.url })).status).toBe(401)
    expect((await call(own)).status).toBe(200)
    expect((await call({ cookie: session })).status).toBe(401)
    expect((await call({ ...own, origin: 'http://127.0.0.1:1' })).status).toBe(403)
    expect(await failureOf(clientOf(engine.url, own).system.browserLink())).toMatchObject({ code: 'forbidden' })
    await clientOf(engine.url, own).system.endSessions()
    expect((await call(own)).status).toBe(401)
  })

  it('gets the pages with the one policy, and an address without its # leads to its page', async () => {
    for (const path of ['/matrix/run-1/smoke', '/cell?row=1']) {
      const { status, headers } = await fetch(engine.url + path, { redirect: 'manual' })
      expect([status, headers.get('location')]).toEqual([302, `/#${path}`])
    }
    const page = await fetch(`${engine.url}/`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const script = await fetch(`${engine.url}/assets/app-1a2b3c4d.js`)
    expect(script.headers.get('cache-control')).toContain('immutable')
    expect((await fetch(`${engine.url}/assets/none.js`)).status).toBe(404)
  })

  it.each([
    '/../package.json',
    '/..%2fmanifests%2fdatasets.yaml',
    '/%2e%2e/manifests/datasets.yaml',
    '/assets/../../manifests/datasets.yaml',
    '/assets/..%5c..%5cmanifests%5cdatasets.yaml',
    '//etc/passwd',
    '/assets/%00.js',
    '/.rag-ladder/secrets.json',
  ])('finds no way out of the pages: %s', async (path) => {
    const { status, body } = await send('GET', path)
    expect(body).not.toMatch(/datasets:|root:|operator_token|"name"/)
    expect([302, 400, 404]).toContain(status)
  })
})

describe('a second engine', () => {
  it('is refused on the same project', async () => {
    await expect(startEngine(root)).rejects.toThrow(/another engine is running/)
  })

  it('does not start without a token', async () => {
    await expect(startEngine(root, { RAG_LADDER_ENGINE_TOKEN: 'short' })).rejects.toThrow(/RAG_LADDER_ENGINE_TOKEN/)
  })
})
