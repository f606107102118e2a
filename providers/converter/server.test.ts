import { once } from 'node:events'
import { connect } from 'node:net'
import { crc32 } from 'node:zlib'
import { zipSync, strToU8 } from 'fflate'
import sharp from 'sharp'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ConversionResult } from '../../contract/http/conversion.ts'
import { bombPdf, longPdf } from '../../tests/helpers/conversion/raw-pdf.ts'
import { loadConverterConfig } from './config.ts'
import { startConverter } from './server.ts'
import { suiteFolder } from '../../tests/helpers/temporary-folder.ts'

const HTML =
  '<html><body><h1>Quay</h1><p>Three cranes.</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>'
const AUTH = { authorization: 'Bearer right' }

const cacheDir = suiteFolder('converter')

async function start(env: Record<string, string> = {}) {
  const restarted = Promise.withResolvers<boolean>()
  const config = loadConverterConfig({
    DOCCONV_API_TOKEN: 'right',
    DOCCONV_PORT: '0',
    DOCCONV_LOG_LEVEL: 'silent',
    DOCCONV_CACHE_DIR: cacheDir,
    ...env,
  })
  const running = await startConverter(config, () => restarted.resolve(true))
  onTestFinished(() => running.close())
  const send = async (
    bytes: Uint8Array<ArrayBuffer> | string,
    name: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = AUTH,
    path = '/v1/document/convert',
  ) => {
    const form = new FormData()
    form.append('file', new Blob([bytes]), name)
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    const answer = await fetch(running.url + path, { method: 'POST', body: form, headers })
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as ConversionResult & { detail: unknown },
    }
  }
  return { ...running, send, restarted: restarted.promise }
}

describe('POST /v1/document/convert', () => {
  it('answers in each format, with counts, and with chunks when they are wanted', async () => {
    const { send } = await start()
    const { status, body } = await send(HTML, 'quay.html', {
      enable_chunking: 'true',
      chunk_size: '100',
      chunk_overlap: '50',
    })
    const { processing_time, ...metadata } = body.metadata
    expect([status, body.format, metadata, processing_time > 0]).toEqual([
      200,
      'markdown',
      {
        pages: 1,
        tables: 1,
        images: 0,
        formulas: 0,
        source_format: 'html',
        file_size: HTML.length,
        ocr_pages: 0,
        table_mode: 'fast',
        warnings: [],
      },
      true,
    ])
    expect(body.content).toBe('# Quay\n\nThree cranes.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n')
    expect(body.chunks!.map(({ text, metadata: { section_title } }) => [text, section_title])).toEqual([
      ['Quay\n\nThree cranes.', 'Quay'],
      ['| a | b |\n| --- | --- |\n| 1 | 2 |', 'Quay'],
    ])
    const starts = { json: '{\n  "schema_name": "DoclingDocument"', html: '<!DOCTYPE html>', doctags: '<doctag>' }
    for (const [format, begin] of Object.entries(starts)) {
      const other = await send(HTML, 'quay.html', { output_format: format })
      expect([other.body.format, other.body.chunks, other.body.content.startsWith(begin)]).toEqual([format, null, true])
    }
  })

  it.each([
    [{ output_format: 'pdf' }, ['body', 'output_format']],
    [{ use_ocr: 'maybe' }, ['body', 'use_ocr']],
    [{ chunk_size: '100', chunk_overlap: '51' }, ['body', 'chunk_overlap']],
    [{ chunk_size: '0' }, ['body', 'chunk_size']],
    [{ enable_chunking: 'perhaps' }, ['body', 'enable_chunking']],
  ])('refuses %o at validation', async (fields, loc) => {
    const { send } = await start()
    const { status, body } = await send(HTML, 'a.html', fields)
    expect([status, (body.detail as { loc: unknown }[])[0]!.loc]).toEqual([422, loc])
  })

  it('goes by the content: a wrong name gives a warning, a foreign format is refused', async () => {
    const { send } = await start()
    const lying = await send(HTML, 'quay.docx')
    expect(lying.body.metadata).toMatchObject({
      source_format: 'html',
      warnings: ['the name ends in .docx but the content is html; it was read as html'],
    })
    expect((await send('just words', 'quay.pdf')).status).toBe(415)
    expect((await send(zipSync({ 'a.txt': strToU8('a') }), 'quay.docx')).status).toBe(415)
    expect((await send('', 'quay.html')).body.detail).toBe('upload is empty')
    expect((await send('<html><body> </body></html>', 'blank.html')).body.detail).toMatch(/nothing to read/)
  })

  it('refuses bombs before they unpack', async () => {
    const { send } = await start()
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(24 * 1024 * 1024) }, { level: 9 })
    expect(bomb.length).toBeLessThan(1024 * 1024)
    const { status, body } = await send(bomb, 'bomb.docx')
    expect([status, body.detail]).toEqual([413, "the file unpacks to more than is allowed (at 'word/document.xml')"])
    const laughs = zipSync({ 'word/document.xml': strToU8('<!DOCTYPE a [<!ENTITY b "ha">]><w:document/>') })
    expect((await send(laughs, 'laughs.docx')).body.detail).toMatch(/declares XML entities/)
    // A picture of one pixel whose header claims 144 million.
    const poster = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } })
      .png()
      .toBuffer()
    poster.writeUInt32BE(12_000, 16)
    poster.writeUInt32BE(12_000, 20)
    poster.writeUInt32BE(crc32(poster.subarray(12, 29)), 29)
    const pixels = await send(new Uint8Array(poster), 'poster.png')
    expect([pixels.status, pixels.body.detail]).toEqual([413, 'the picture has more than 120000000 pixels'])
  })

  it('ends a conversion that grows over its memory, and continues with the next', async () => {
    const { send } = await start({ DOCCONV_MAX_MEMORY_MIB: '320' })
    expect((await send(longPdf(2), 'two.pdf')).body.metadata.pages).toBe(2)
    const { status, body } = await send(bombPdf(400 * 1024 * 1024), 'bomb.pdf')
    expect([status, body.detail]).toEqual([413, 'the document needs more memory than a conversion may have'])
    expect((await send(HTML, 'a.html')).status).toBe(200)
  })
})

describe('the boundary', () => {
  it('opens /health alone, and closes everything when no token is set', async () => {
    const { url, send } = await start({ DEVICE: 'cpu' })
    expect(await (await fetch(`${url}/health`)).json()).toEqual({
      status: 'healthy',
      backend: 'cpu',
      device: 'cpu',
      models_loaded: [],
      revision: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    expect([(await send(HTML, 'a.html', {}, {})).status, (await fetch(`${url}/v1/models`)).status]).toEqual([401, 401])
    const closed = await start({ DOCCONV_API_TOKEN: '' })
    expect((await closed.send(HTML, 'a.html')).body.detail).toBe('Provider authentication is unavailable')
    const free = await start({ DOCCONV_API_TOKEN: '', DOCCONV_AUTH_MODE: 'disabled' })
    expect((await free.send(HTML, 'a.html', {}, {})).status).toBe(200)
    expect(() => loadConverterConfig({ DOCCONV_CORS_ORIGINS: '*' })).toThrow('DOCCONV_CORS_ORIGINS')
    expect(() => loadConverterConfig({ DEVICE: 'gpu', DOCCONV_CHUNK_OVERLAP: '300' })).toThrow(
      /DEVICE[\s\S]*DOCCONV_CHUNK_OVERLAP/,
    )
  })

  it.each(['cuda', 'mps'])(
    'starts with DEVICE=%s, which speech to text may use, and states that it does not',
    async (device) => {
      const { url } = await start({ DEVICE: device })
      expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
        device: 'cpu',
        detail: `DEVICE=${device} is not used: conversions run on the processor`,
      })
    },
  )

  it('converts one document at a time: a second upload gets 429 at once, and a file over the limit 413', async () => {
    const { port, send } = await start({ DOCCONV_MAX_FILE_SIZE: '1000' })
    const slow = connect(port, '127.0.0.1')
    slow.write(
      'POST /v1/document/convert HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer right\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500\r\n\r\n--x',
    )
    await once(slow, 'connect')
    await expect.poll(async () => (await send(HTML, 'a.html')).status, { timeout: 15_000 }).toBe(429)
    const busy = await send(HTML, 'a.html')
    expect([busy.headers.get('retry-after'), busy.body.detail]).toEqual(['1', 'Provider capacity is full'])
    slow.destroy()
    await expect.poll(async () => (await send(HTML, 'a.html')).status, { timeout: 15_000 }).toBe(200)
    expect((await send(`${HTML}${' '.repeat(1000)}`, 'a.html')).body.detail).toBe('upload exceeds 1000 byte limit')
    expect((await send('x'.repeat(2_000_000), 'a.html')).body.detail).toBe('Upload is too large')
  })

  it('a sender who leaves stops the work on his document, and its place is free', async () => {
    const { url, send } = await start({ DOCCONV_INFERENCE_TIMEOUT_SECONDS: '600' })
    const endless = `<html><body>${'<table><tr><td>'.repeat(350)}${'<p>word '.repeat(1_500_000)}`
    const form = new FormData()
    form.append('file', new Blob([endless]), 'endless.html')
    const leaving = new AbortController()
    const left = fetch(`${url}/v1/document/convert`, {
      method: 'POST',
      body: form,
      headers: AUTH,
      signal: leaving.signal,
    }).catch((error: unknown) => error)
    await expect.poll(async () => (await send(HTML, 'a.html')).status, { timeout: 15_000 }).toBe(429)
    leaving.abort()
    expect(await left).toMatchObject({ name: 'AbortError' })
    await expect.poll(async () => (await send(HTML, 'a.html')).status, { timeout: 8000 }).toBe(200)
  })

  it('answers 504 to work over its deadline, kills it, then asks to be restarted', async () => {
    const { send, restarted } = await start({ DOCCONV_INFERENCE_TIMEOUT_SECONDS: '1' })
    // Every cell is a paragraph of its own to the parser: minutes of work.
    const endless = `<html><body>${'<table><tr><td>'.repeat(350)}${'<p>word '.repeat(1_500_000)}`
    const { status, body } = await send(endless, 'endless.html')
    expect([status, body.detail]).toEqual([504, 'Provider operation timed out'])
    await restarted
  })
})
