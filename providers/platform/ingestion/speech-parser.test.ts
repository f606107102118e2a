import { createServer, type RequestListener } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { parseMultipart } from '../../kit/multipart-form.ts'
import { plainTextParser, speechParser } from './parsers.ts'
import { parse } from './phases.ts'
import { listenLocally } from '../../../tests/helpers/local-server.ts'

/** A parser whose service answers as the listener does. */
async function speechOf(listener: RequestListener) {
  const { url, close } = await listenLocally(createServer(listener))
  onTestFinished(close)
  return speechParser({ url, token: null })
}

const NOTHING_KEPT = { get: () => null, put: () => undefined }

const file = (path: string, content: string) => ({
  path,
  sizeBytes: 1,
  sha256: '',
  read: async () => Buffer.from(content),
})

it('keeps a transcript for as long as the service and, where it uses them, the texts beside the recording stay the same', async () => {
  let health: object = {}
  const speech = await speechOf((_request, response) => response.end(JSON.stringify(health)))
  const revision = (...texts: string[]) => speech.revision!(new AbortController().signal, async () => texts)
  expect(await revision('Locks.')).toBeNull()
  health = { revision: 'pocketsphinx', uses_prompt: false }
  expect(await revision('Locks.')).toBe('pocketsphinx')
  expect(await revision('Weirs.')).toBe('pocketsphinx')
  health = { revision: 'another', uses_prompt: true }
  const withLocks = await revision('Locks.')
  expect(withLocks).toMatch(/^another [0-9a-f]{64}$/)
  expect(await revision('Weirs.')).not.toBe(withLocks)
  await speech.close()
})

it('sends the service the texts that lie beside a recording, and nothing where there are none', async () => {
  const prompts: (string | undefined)[] = []
  // As a service answers whose recognizer returns no times.
  let answer: object = { has_timestamps: false, segments: [], words: [] }
  const speech = await speechOf((request, response) => {
    if (request.url === '/health') return response.end('{}')
    const blocks: Buffer[] = []
    request.on('data', (block: Buffer) => blocks.push(block))
    request.on('end', () => {
      // Forms end their lines with both signs.
      prompts.push(
        parseMultipart(Buffer.concat(blocks), request.headers['content-type']!).fields['prompt']?.replaceAll(
          '\r\n',
          '\n',
        ),
      )
      response.end(JSON.stringify({ text: 'heard', ...answer }))
    })
  })
  const parsers = [speech, plainTextParser]
  const read = (...files: ReturnType<typeof file>[]) =>
    parse(files, ['speech', 'plain_text'], parsers, NOTHING_KEPT, new AbortController().signal, () => undefined)
  const { result } = await read(
    file('a.md', '# Brackenjaw'),
    file('b.wav', 'sound'),
    file('c.txt', 'Oldmere'),
    file('d.ogg', 'sound'),
  )
  expect(result.map(({ path, text }) => [path, text])).toEqual([
    ['a.md', '# Brackenjaw'],
    ['b.wav', 'heard'],
    ['c.txt', 'Oldmere'],
    ['d.ogg', 'heard'],
  ])
  await read(file('e.wav', 'sound'))
  expect(prompts).toEqual(['# Brackenjaw\n\nOldmere', '# Brackenjaw\n\nOldmere', undefined])
  const words = (text: string) => [{ text, start: 0, end: 1, duration: 1 }]
  const segments = ['Heard.', 'Again.'].map((text, id) => ({
    id,
    text,
    start: 0,
    end: 1,
    duration: 1,
    words: words(text),
  }))
  answer = { has_timestamps: true, segments, words: [] }
  expect((await read(file('f.wav', 'sound'))).result[0]!.text).toBe('Heard.\nAgain.')
  await speech.close()
})
