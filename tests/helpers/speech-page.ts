import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium, expect, type Locator, type Page, test as base } from '@playwright/test'
import { decodeFlac } from '../../providers/kit/audio/flac-file.ts'
import { encodeWav } from '../../providers/kit/audio/wav-file.ts'
import { skipTour } from './cli.ts'
import { programFile } from './program.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FLAGS = ['--no-sandbox', '--disable-gpu', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']

/** A browser whose microphone plays a spoken sentence over and over, on the page of a real engine. */
export const test = base.extend<{
  panel: Page
  expectedRefusal: RegExp | null
}>({
  /** Of the browser's complaints about failed requests, the one that a spec provokes. */
  expectedRefusal: [null, { option: true }],
  panel: async ({ browserName: _, expectedRefusal }, use) => {
    const project = await mkdtemp(join(tmpdir(), 'rag-ladder-speech-'))
    await cp(join(ROOT, 'manifests'), join(project, 'manifests'), { recursive: true })
    await cp(join(ROOT, 'corpus/smoke'), join(project, 'corpus/smoke'), { recursive: true })
    await skipTour(project)
    const { sound } = await decodeFlac(await readFile(join(ROOT, 'tests/fixtures/audio/spoken.flac')))
    const microphone = join(project, 'microphone.wav')
    await writeFile(microphone, encodeWav(sound))
    const { child, link } = await serve(project)
    const browser = await chromium.launch({
      executablePath: process.env.RAG_LADDER_CHROMIUM ?? '/usr/bin/chromium',
      args: [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}`],
    })
    const context = await browser.newContext({ viewport: { width: 1440, height: 1200 } })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.text()}: ${message.location().url}`)
    })
    await page.goto(link)
    await use(page)
    await browser.close()
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(project, { recursive: true, force: true })
    expect(complaints.filter((complaint) => expectedRefusal?.test(complaint) !== true)).toEqual([])
  },
})

/** Returns what plays the sound of that name. */
export const playButton = (page: Page, label: string): Locator => page.getByRole('button', { name: `Play ${label}` })

/** Opens the tool Audio at one of its parts. */
export async function openAudio(page: Page, part: 'Transcribe' | 'Speak' | 'Voices' = 'Transcribe'): Promise<void> {
  // By the address: a page that is left stays visible until the next one has loaded.
  if (!page.url().includes('#/tools/')) await page.getByRole('link', { name: 'Tools', exact: true }).click()
  await page.getByRole('navigation', { name: 'Tools' }).getByRole('link', { name: 'Audio' }).click()
  await page.getByRole('radiogroup', { name: 'Parts of Audio' }).getByText(part, { exact: true }).click()
}

/** For the page: blocks whose content is wider than they are. */
const TOO_WIDE = `[...document.querySelectorAll('main, main section')]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.tagName + ' ' + each.innerText.slice(0, 40) + ': ' + each.scrollWidth + ' in ' + each.clientWidth)`

/** Nothing sticks out of its frame or needs sideways scrolling in a window that is as narrow as a telephone. */
export async function expectToFitNarrowWindow(page: Page): Promise<void> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 420, height: 900 })
  await expect.poll(() => page.evaluate(TOO_WIDE)).toEqual([])
  await page.setViewportSize(size)
}

async function serve(project: string): Promise<{ child: ChildProcess; link: string }> {
  const program = [programFile('bin/rag-ladder.mjs'), 'serve', '--project', project, '--port', '0', '--no-open']
  const ports = { STT_PORT: '0', TTSVOICE_LOCALHOST_PORT: '0' }
  const env = { ...process.env, STT_BACKEND: 'pocketsphinx', ...ports }
  const child = spawn(join(ROOT, 'node_modules/.bin/node'), program, { stdio: ['ignore', 'pipe', 'inherit'], env })
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /http:\/\/\S+\/open\?token=\S+/.exec(line)?.[0]
    if (link !== undefined) return { child, link }
  }
  throw new Error('the engine printed no link')
}
