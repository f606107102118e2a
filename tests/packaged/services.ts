import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { findOnPath } from '../../build/e2e/find-program.ts'
import { serviceUrl } from '../../contract/control/service-routes.ts'
import type { ServiceName } from '../../contract/control/services.ts'
import { isAlive } from '../helpers/processes.ts'
import type { HangingOffice } from './hanging-office.ts'

/** Longer than a small conversion takes on a busy machine, start of its process included. */
export const DEADLINE_SECONDS = 20

interface Answer {
  status: number
  type: string
  bytes: Buffer
}

/** Calls a service as a page does. A file goes as a form. */
async function call(
  page: Page,
  service: ServiceName,
  path: string,
  body: { json: object } | { file: Buffer; name: string },
): Promise<Answer> {
  const sent = 'json' in body ? body : { file: body.file.toString('base64'), name: body.name }
  const answer = await page.evaluate<{ status: number; type: string; base64: string }>(`(async () => {
    const sent = ${JSON.stringify(sent)}
    const form = new FormData()
    if ('file' in sent) form.append('file', new Blob([Uint8Array.from(atob(sent.file), (c) => c.charCodeAt(0))]), sent.name)
    const answer = await fetch(${JSON.stringify(serviceUrl(service, path))}, {
      method: 'POST',
      ...('json' in sent
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent.json) }
        : { body: form }),
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    return { status: answer.status, type: answer.headers.get('content-type'), base64: btoa(text) }
  })()`)
  return { status: answer.status, type: answer.type, bytes: Buffer.from(answer.base64, 'base64') }
}

function textOf({ status, bytes }: Answer, wanted = 200): string {
  assert.equal(status, wanted, bytes.toString('utf8').slice(0, 500))
  return bytes.toString('utf8')
}

const HTML = Buffer.from('<html><body><h1>Quay</h1><p>Three cranes stand on it.</p></body></html>')
const convert = (page: Page, file: Buffer, name: string): Promise<Answer> =>
  call(page, 'converter', '/v1/document/convert', { file, name })

/**
 * The services of the app at work: a document is converted, one that hangs is stopped with all that it started and its service comes back, a
 * sentence is spoken and, where the recognizer is installed, written down again.
 */
export async function checkServices(page: Page, office: HangingOffice): Promise<void> {
  const converted = JSON.parse(textOf(await convert(page, HTML, 'quay.html'))) as { content: string }
  assert.equal(converted.content, '# Quay\n\nThree cranes stand on it.\n')
  const pdf = await convert(page, await readFile('corpus/mixed_formats/annual-report.pdf'), 'report.pdf')
  assert.match((JSON.parse(textOf(pdf)) as { content: string }).content, /\w{3,}/)
  console.log('● it converted a page and a PDF')

  const old = await readFile('corpus/mixed_formats/dredging-memo.doc')
  assert.match(textOf(await convert(page, old, 'memo.doc'), 504), /timed out/)
  const pid = await office.pid()
  // The process that inherited it collects it a moment after it was killed.
  await until(() => !isAlive(pid), `the program ${pid} of the conversion that was given up is still there`)
  // The service ends after a deadline and is started again at its place: until it is back, a call is refused or waits.
  const again = await untilAnswered(() => convert(page, HTML, 'quay.html'))
  assert.equal((JSON.parse(textOf(again)) as { content: string }).content, converted.content)
  console.log('● it gave up a conversion that hung, with its program, and converted the next')

  const input = 'The quick brown fox jumps over the lazy dog.'
  const spoken = await call(page, 'tts', '/v1/audio/speech', { json: { input, response_format: 'wav' } })
  assert.equal(spoken.status, 200, spoken.bytes.toString('utf8').slice(0, 500))
  assert.equal(spoken.bytes.toString('latin1', 0, 4), 'RIFF')
  const seconds = (spoken.bytes.length - 44) / spoken.bytes.readUInt32LE(28)
  assert(seconds > 1.5 && seconds < 6, `${seconds} s of speech`)
  console.log(`● it spoke a sentence of ${seconds.toFixed(1)} s`)

  if (findOnPath(['pocketsphinx_continuous']) === null) {
    console.log('○ nothing was written down: pocketsphinx is not installed')
    return
  }
  const file = { file: spoken.bytes, name: 'fox.wav' }
  const transcript = await untilAnswered(() => call(page, 'stt', '/v1/audio/transcriptions', file))
  assert.match((JSON.parse(textOf(transcript)) as { text: string }).text, /fox|lazy|dog|brown|quick/i)
  console.log('● it wrote the sentence down')
}

/** Asks again while the service is starting, which it reports by 502 and 503. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  await until(async () => {
    if (answer.status !== 502 && answer.status !== 503) return true
    answer = await ask()
    return false
  }, 'the service does not come up')
  return answer
}

async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const giveUpAt = Date.now() + 60_000
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(otherwise)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
