import { expect, it, onTestFinished } from 'vitest'
import { hang, json } from '../../../../tests/helpers/fault-server.ts'
import { testServer } from '../../../../tests/helpers/test-server.ts'
import { converterParser, isConvertible, type DocumentParser } from '../../ingestion/parsers.ts'
import { registerExtractionRoutes } from './routes.ts'
import { testFaultServer } from '../../../../tests/helpers/test-server.ts'

const converting = (parse: DocumentParser['parse']): DocumentParser => ({
  name: 'converter',
  accepts: ({ path }) => isConvertible(path),
  parse,
})

async function extract(
  filename: string,
  bytes: string | Buffer,
  { converter = null as DocumentParser | null, maxFileBytes = 1000, timeoutMs = 1000 } = {},
) {
  const app = testServer()
  registerExtractionRoutes(app, { settings: { maxFileBytes, timeoutMs }, converter, isDocument: isConvertible })
  const payload = Buffer.concat([
    Buffer.from(`--edge\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n--edge--\r\n'),
  ])
  const headers = { 'content-type': 'multipart/form-data; boundary=edge' }
  const answer = await app.inject({ method: 'POST', url: '/documents/extract', headers, payload })
  return [answer.statusCode, answer.json()] as const
}

it('returns the text of plain files without a converter', async () => {
  expect(await extract('notes.md', '# Oil\n\nRape oil.')).toEqual([
    200,
    {
      filename: 'notes.md',
      title: 'Oil',
      text: '# Oil\n\nRape oil.',
      metadata: {
        parser: 'plain_text',
        media_type: null,
        size_bytes: 16,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        warnings: [],
      },
    },
  ])
})

it('passes documents through the converter', async () => {
  const converter = converting(async (file) => ({
    title: 'Plan',
    text: `${(await file.read()).length} bytes`,
    warnings: ['page 2 omitted'],
  }))
  expect(await extract('plan.pdf', '%PDF', { converter })).toEqual([
    200,
    expect.objectContaining({
      title: 'Plan',
      text: '4 bytes',
      metadata: expect.objectContaining({ parser: 'converter', warnings: ['page 2 omitted'] }),
    }),
  ])
})

it('answers 502 with one stable message whatever failed, and never repeats the converter', async () => {
  const failing = converting(async () => Promise.reject(new Error('http://10.0.0.7 said: token abc')))
  const endless = converting(
    (_file, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  )
  const failed = [502, { detail: 'Document extraction failed' }]
  expect(await extract('plan.pdf', '%PDF', { converter: failing })).toEqual(failed)
  expect(await extract('plan.pdf', '%PDF', { converter: endless, timeoutMs: 10 })).toEqual(failed)
  expect(await extract('notes.txt', Buffer.from([0xff, 0xfe, 0x00]))).toEqual(failed)
})

it('refuses other types, documents without a converter, and files over the limit', async () => {
  const converter = converting(async () => ({ title: '', text: '' }))
  expect((await extract('song.mp3', 'x', { converter }))[0]).toBe(415)
  expect((await extract('program.exe', 'x'))[0]).toBe(415)
  expect((await extract('plan.pdf', '%PDF'))[0]).toBe(503)
  expect((await extract('notes.txt', 'x'.repeat(1000)))[0]).toBe(200)
  expect((await extract('notes.txt', 'x'.repeat(1001)))[0]).toBe(413)
  expect((await extract('notes.txt', ''))[0]).toBe(400)
})

it('goes through the HTTP contract of the converter, with its token, and ends its wait at the time limit', async () => {
  const service = await testFaultServer()
  const converter = converterParser({ url: service.url, token: 'converter-token' })
  const counts = { pages: 1, tables: 0, images: 0, formulas: 0, ocr_pages: 0, file_size: 4, processing_time: 0.1 }
  const metadata = { ...counts, source_format: 'pdf', table_mode: 'fast', warnings: ['page 2 omitted'] }
  service.script(
    json({ content: '# Plan\n\nOil.', format: 'markdown', metadata, chunks: null }),
    json({ detail: 'secret' }, 422),
    hang,
  )
  onTestFinished(() => converter.close())
  expect(await extract('plan.pdf', '%PDF', { converter })).toEqual([
    200,
    expect.objectContaining({ title: 'Plan', text: '# Plan\n\nOil.' }),
  ])
  expect(service.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/v1/document/convert', 'Bearer converter-token'],
  ])
  const failed = [502, { detail: 'Document extraction failed' }]
  expect(await extract('plan.pdf', '%PDF', { converter })).toEqual(failed)
  expect(await extract('plan.pdf', '%PDF', { converter, timeoutMs: 50 })).toEqual(failed)
})
