import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page } from '@playwright/test'
import { picture, seriousFindings } from '../helpers/panel-page.ts'
import { expectToFitNarrowWindow, openAudio, playButton, test } from '../helpers/speech-page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TRANSCRIPTIONS = '**/control/services/stt/proxy/v1/audio/transcriptions/advanced'

test('what a recognizer returned without times is shown, copied, and asked', async ({ panel: page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  let text = 'Hello there. Who keeps the ferry?'
  await page.route(TRANSCRIPTIONS, (route) =>
    route.fulfill({ json: { text, has_timestamps: false, segments: [], words: [] } }),
  )
  await openAudio(page)
  const file = page.locator('input[type=file]').first()
  await file.setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
  await expect(page.getByText(text)).toBeVisible()
  await expect(page.getByText('The configured recognizer gives no times')).toBeVisible()
  await expect(page.getByText('No speech was heard')).toBeHidden()
  await expect(page.getByRole('button', { name: /^Copy as/ })).toHaveText(['Copy as text', 'Copy as JSON'])
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Copy as text' }).click()
  await expect(page.getByText('Copied as text')).toBeVisible()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text)

  await page.goto(`${new URL(page.url()).origin}/#/datasets?dataset=smoke&view=ask`)
  await page.getByRole('button', { name: 'Record a question' }).click()
  await page.getByRole('button', { name: 'Stop recording' }).click()
  const question = page.getByLabel('Question', { exact: true })
  await expect(question).toHaveValue(text)
  await expect(page.getByText('No word was recognized')).toBeHidden()

  text = ''
  await openAudio(page)
  await file.setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
  await expect(page.getByText('No speech was recognized in this recording.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Copy as/ })).toHaveCount(0)
})

test('a transcription under way shows how long it takes, and is cancelled', async ({ panel: page }) => {
  await page.route(TRANSCRIPTIONS, () => undefined)
  await openAudio(page)
  await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
  await expect(page.getByText('Transcribing…')).toBeVisible()
  await expect(page.getByText('1 s', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect(page.getByText('Transcribing…')).toBeHidden()
  await expect(page.locator('main').getByRole('alert')).toHaveCount(0)
  await expect(playButton(page, 'the recording')).toBeEnabled()
})

test('text to speech starts when it is used, and shows why it cannot speak', async ({ panel: page }) => {
  await page.route(TRANSCRIPTIONS, (route) => route.fulfill({ json: { text: '', has_timestamps: false } }))
  await openAudio(page)
  await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
  await expect(page.getByText('No speech was recognized in this recording.')).toBeVisible()
  // A transcript needs no voices.
  await expect(lamp(page)).toHaveAccessibleDescription(/Text to speech: idle/)
  await expectToFitNarrowWindow(page)

  await openAudio(page, 'Speak')
  const text = page.getByLabel('Text', { exact: true })
  const speak = page.getByRole('button', { name: 'Speak the text' })
  await text.fill('')
  await expect(speak).toBeDisabled()
  await expect(speak).toHaveAccessibleDescription('Type a text first.')
  await text.fill('Good morning.')
  await expect(speak).toBeEnabled()
  const engine = page.getByRole('combobox', { name: 'Engine' })
  await expect(engine).toHaveValue('flite')
  await expect(lamp(page)).toHaveAccessibleDescription(/Text to speech: ready/)
  await engine.click()
  await page.getByRole('option', { name: 'voice-fit' }).click()
  await expect(speak).toBeDisabled()
  await expect(speak).toHaveAccessibleDescription(/registered voices, and none is registered: make one/)
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'make one' }).click()
  await expect(page.getByRole('heading', { name: 'No voice yet' })).toBeVisible()
})

test.describe('what is no sound', () => {
  test.use({ expectedRefusal: /status of 400/ })

  test('is named as what it is, and cannot be played', async ({ panel: page }) => {
    const asked: string[] = []
    await page.route(TRANSCRIPTIONS, (route) => {
      asked.push(route.request().url())
      return route.fulfill({ status: 400, json: { detail: 'this is no sound' } })
    })
    await openAudio(page)
    const alert = page.locator('main').getByRole('alert')
    await drop(page, ['empty.wav'], '')
    await expect(alert).toHaveText('▲ empty.wav is empty: it has 0 bytes.')
    await expect(playButton(page, 'the recording')).toHaveCount(0)
    expect(asked).toEqual([])

    await drop(page, ['words.wav', 'more.wav'], 'words')
    await expect(page.getByText('Only the first of 2 files is taken')).toBeVisible()
    await expect(page.getByText('The browser cannot play the recording.')).toBeVisible()
    await expect(alert).toHaveText('▲ this is no sound')
    await expect(playButton(page, 'the recording')).toBeHidden()
    await expectToFitNarrowWindow(page)
    await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
    await expect(playButton(page, 'the recording')).toBeEnabled()
    await expect(page.getByText('Only the first')).toBeHidden()
    await expect(page.getByText('The browser cannot play the recording.')).toBeHidden()
  })
})

/** Drops files of one content on the page's place for recordings. */
async function drop(page: Page, names: readonly string[], content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer()
    for (const name of ${JSON.stringify(names)})
      data.items.add(new File(${JSON.stringify([content])}, name, { type: 'audio/wav' }))
    return data
  })()`)
  await page.getByText(/^Drop a recording here/).dispatchEvent('drop', { dataTransfer })
}

test('a text is spoken, and what was recorded is written down with clickable times', async ({ panel: page }) => {
  test.skip(spawnSync('pocketsphinx_continuous').error !== undefined, 'pocketsphinx is not installed')
  await openAudio(page, 'Speak')
  await page.getByRole('button', { name: 'Speak the text' }).click()
  await expect(playButton(page, 'the speech')).toBeVisible()
  // To look at the page starts no recognizer; the transcription does.
  await expect(lamp(page)).toHaveAccessibleDescription(/Speech to text: idle/)

  await openAudio(page)
  await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'tests/fixtures/audio/spoken.flac'))
  const transcript = page.getByRole('list', { name: 'Transcript' })
  // As a person who marks and copies it gets it: words with spaces between them.
  await expect(transcript).toContainText('quick brown fox', { timeout: 60_000 })
  await transcript.getByRole('button', { name: 'lazy' }).click()
  await expect(page.getByRole('button', { name: 'Pause the recording' })).toBeVisible()
  await picture(page, 'speech', { fullPage: true })
  await expectToFitNarrowWindow(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy as SRT' }).click()
  await expect(page.getByText('Copied as SRT')).toBeVisible()
  const copied: unknown = await page.evaluate('navigator.clipboard.readText()')
  // The transcript stays while another page is open.
  await page.getByRole('link', { name: 'Models', exact: true }).click()
  await openAudio(page)
  await expect(transcript).toContainText('quick brown fox')
  await expect(page.getByText(/^Transcribed by .*\. Check names and numbers\./)).toBeVisible()
  expect(copied).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n.*quick brown/)
})

/** The lamp of all services at the foot of the sidebar. */
const lamp = (page: Page): Locator =>
  page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: 'Services' })

test('a spoken question is put to several approaches, and each answer is played', async ({ panel: page }) => {
  test.setTimeout(180_000)
  test.skip(spawnSync('pocketsphinx_continuous').error !== undefined, 'pocketsphinx is not installed')
  await ingest(page)
  await page.goto(`${new URL(page.url()).origin}/#/datasets?dataset=smoke&view=ask`)
  await page.getByRole('button', { name: 'Record a question' }).click()
  const stop = page.getByRole('button', { name: 'Stop recording' })
  await stop.waitFor()
  await expect(page.getByText(/^[4-9]\.\d \/ 30 s$/)).toBeVisible()
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
    await answer.getByRole('button', { name: `Play ${alias}` }).click()
    // It plays by itself: the sound was asked for.
    await expect(answer.getByRole('button', { name: `Pause the answer of ${alias}` })).toBeVisible()
  }
  await picture(page, 'ask-by-voice', { fullPage: true })
})

/** Has the smoke rung ingested by a run of one approach without metrics, and waits for its end. */
async function ingest(page: Page): Promise<void> {
  const input = { run_id: 'for-voice', dataset_ids: ['smoke'], models: ['vanilla-rag', 'hybrid-rag'], metrics: [] }
  const ask = (procedure: string, json: object): Promise<unknown> =>
    page.evaluate(
      ([path, body]) =>
        fetch(`/control/${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-rag-ladder-page': localStorage.getItem('rag-ladder-page-key') ?? '',
          },
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
