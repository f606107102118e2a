import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium, expect, type Page, test as base } from '@playwright/test'
import { decodeFlac } from '../../providers/kit/audio/flac-file.ts'
import { encodeWav } from '../../providers/kit/audio/wav-file.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FLAGS = ['--no-sandbox', '--disable-gpu', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']

/** A browser whose microphone plays a spoken sentence over and over, on the page of a real engine. */
const test = base.extend<{ panel: Page }>({
  panel: async ({ browserName: _ }, use) => {
    const project = await mkdtemp(join(tmpdir(), 'rag-ladder-speech-'))
    await cp(join(ROOT, 'manifests'), join(project, 'manifests'), { recursive: true })
    await cp(join(ROOT, 'corpus/smoke'), join(project, 'corpus/smoke'), { recursive: true })
    const { sound } = await decodeFlac(await readFile(join(ROOT, 'tests/fixtures/audio/spoken.flac')))
    const microphone = join(project, 'microphone.wav')
    await writeFile(microphone, encodeWav(sound))
    const { child, link } = await serve(project)
    const browser = await chromium.launch({
      executablePath: process.env.RAG_LADDER_CHROMIUM ?? '/usr/bin/chromium',
      args: [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}`],
    })
    const page = await browser.newPage({ viewport: { width: 1440, height: 1200 } })
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(link)
    await use(page)
    await browser.close()
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(project, { recursive: true, force: true })
    expect(complaints).toEqual([])
  },
})

async function serve(project: string): Promise<{ child: ChildProcess; link: string }> {
  const program = [join(ROOT, 'bin/rag-ladder.mjs'), 'serve', '--project', project, '--port', '0', '--no-open']
  const env = { ...process.env, STT_BACKEND: 'pocketsphinx', STT_PORT: '0', TTSVOICE_LOCALHOST_PORT: '0' }
  const child = spawn(join(ROOT, 'node_modules/.bin/node'), program, { stdio: ['ignore', 'pipe', 'inherit'], env })
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /http:\/\/\S+\/open\?token=\S+/.exec(line)?.[0]
    if (link !== undefined) return { child, link }
  }
  throw new Error('the engine printed no link')
}

/** Loudness of what a player of the page would play: its wave, drawn from the sound itself. */
const playButton = (page: Page, label: string) => page.getByRole('button', { name: `Play ${label}` })

test('a voice is recorded, judged, saved, spoken in and deleted', async ({ panel: page }) => {
  test.setTimeout(120_000)
  await page.getByRole('link', { name: 'Voices' }).click()
  await page.getByRole('button', { name: 'Record' }).click()
  await expect(page.getByRole('button', { name: 'Call off' })).toBeVisible()
  const stop = page.getByRole('button', { name: 'Stop recording' })
  await stop.waitFor({ timeout: 15_000 })
  // A browser that has too little processor drops sound: what is kept must still be the 3 s that a voice needs.
  await expect(page.getByText(/^(9|1\d)\.\d \/ 30 s$/)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByLabel('Level')).toBeVisible()
  await stop.click()

  await expect(playButton(page, 'the clip')).toBeVisible()
  await page.getByRole('button', { name: 'Check the clip' }).click()
  const verdict = page.getByRole('status', { name: 'Verdict' })
  await expect(verdict).toContainText('This clip can become a voice', { timeout: 30_000 })
  await expect(verdict).toContainText(/\d+(\.\d)? Hz/)

  await page.getByLabel('Name').fill('Test speaker')
  const save = page.getByRole('button', { name: 'Save the voice' })
  await expect(save).toBeDisabled()
  await page.getByLabel(/has agreed/).check()
  await save.click()
  await expect(page.getByRole('heading', { name: 'Test speaker' })).toBeVisible({ timeout: 30_000 })

  await page.getByRole('button', { name: 'Speak as Test speaker' }).click()
  const play = playButton(page, 'speech as Test speaker')
  await play.click({ timeout: 60_000 })
  await expect(page.getByRole('button', { name: 'Pause speech as Test speaker' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'Spectrogram of Imitation' })).toBeVisible()
  await page.screenshot({ path: join(ROOT, 'out/e2e/voices.png'), fullPage: true })

  await page.getByRole('button', { name: 'Delete Test speaker' }).click()
  await page.getByRole('button', { name: 'Delete Test speaker' }).click()
  await expect(page.getByRole('heading', { name: 'Test speaker' })).toBeHidden()
})

test('a text is spoken, and what was recorded is written down with clickable times', async ({ panel: page }) => {
  test.setTimeout(120_000)
  test.skip(spawnSync('pocketsphinx_continuous').error !== undefined, 'pocketsphinx is not installed')
  await page.getByRole('link', { name: 'Speech' }).click()
  await page.getByRole('button', { name: 'Speak the text' }).click()
  await expect(playButton(page, 'the speech')).toBeVisible({ timeout: 30_000 })

  await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
  const transcript = page.getByRole('list', { name: 'Transcript' })
  await expect(transcript).toContainText('brown', { timeout: 60_000 })
  await transcript.getByRole('button', { name: 'lazy' }).click()
  await expect(page.getByRole('button', { name: 'Pause the recording' })).toBeVisible()
  await page.screenshot({ path: join(ROOT, 'out/e2e/speech.png'), fullPage: true })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy as SRT' }).click()
  await expect(page.getByText('Copied as SRT')).toBeVisible()
  const copied: unknown = await page.evaluate('navigator.clipboard.readText()')
  expect(copied).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n.*quick brown/)
})

test('a spoken question is put to several approaches, and each answer is heard', async ({ panel: page }) => {
  test.setTimeout(180_000)
  test.skip(spawnSync('pocketsphinx_continuous').error !== undefined, 'pocketsphinx is not installed')
  await ingest(page)
  await page.goto(`${new URL(page.url()).origin}/#/datasets?dataset=smoke&view=ask`)
  await page.getByRole('button', { name: 'Record a question' }).click()
  const stop = page.getByRole('button', { name: 'Stop recording' })
  await stop.waitFor({ timeout: 15_000 })
  await expect(page.getByText(/^[4-9]\.\d \/ 30 s$/)).toBeVisible({ timeout: 15_000 })
  await stop.click()
  await expect(page.getByLabel('Question', { exact: true })).toHaveValue(/brown/, { timeout: 60_000 })

  const approaches = page.getByLabel('Approaches', { exact: true }).first()
  await approaches.press('Backspace')
  // Its list would cover the button.
  await approaches.press('Escape')
  await expect(page.getByRole('button', { name: 'Ask 2 approaches' })).toBeEnabled()
  expect(page.url()).toContain('hybrid-rag')
  await page.getByRole('button', { name: 'Ask 2 approaches' }).click()
  const answers = page.getByRole('list', { name: 'Answers' })
  for (const alias of ['vanilla-rag', 'hybrid-rag']) {
    const answer = answers.getByRole('listitem', { name: alias })
    await expect(answer.getByRole('status')).toHaveText(/^● [\d.]+ m?s, \d+ sources?$/, { timeout: 60_000 })
    await expect(answer).not.toContainText('<details>')
    await answer.getByRole('button', { name: `Hear ${alias}` }).click()
    // It plays by itself: the sound was asked for.
    await expect(answer.getByRole('button', { name: `Pause the answer of ${alias}` })).toBeVisible({ timeout: 30_000 })
  }
  await page.screenshot({ path: join(ROOT, 'out/e2e/ask-by-voice.png'), fullPage: true })
})

/** Has the smoke rung ingested by a run of one approach without metrics, and waits for its end. */
async function ingest(page: Page): Promise<void> {
  const input = { run_id: 'for-voice', dataset_ids: ['smoke'], models: ['vanilla-rag', 'hybrid-rag'], metrics: [] }
  const ask = (procedure: string, json: object): Promise<unknown> =>
    page.evaluate(
      ([path, body]) =>
        fetch(`/control/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: body!,
        }).then((answer) => answer.json()),
      [procedure, JSON.stringify({ json })],
    )
  await ask('runs/start', input)
  const state = async (): Promise<unknown> => {
    const { json } = (await ask('runs/jobs', {})) as { json: { state: string }[] }
    return json[0]?.state
  }
  await expect.poll(state, { timeout: 90_000 }).toBe('completed')
}
