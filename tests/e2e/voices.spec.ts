import { expect } from '@playwright/test'
import { encodeWav } from '../../providers/kit/audio/wav-file.ts'
import { picture, seriousFindings } from '../helpers/panel-page.ts'
import { expectToFitNarrowWindow, openAudio, playButton, test } from '../helpers/speech-page.ts'

test('a voice is recorded, judged, saved, spoken in and deleted', async ({ panel: page }) => {
  await openAudio(page, 'Voices')
  await page.getByRole('button', { name: 'Record' }).click()
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible()
  const stop = page.getByRole('button', { name: 'Stop recording' })
  await stop.waitFor()
  // A browser that has too little processor drops sound: what is kept must still be the 3 s that a voice needs.
  await expect(page.getByText(/^(9|1\d)\.\d \/ 29\.5 s$/)).toBeVisible()
  await expect(page.getByLabel('Level')).toBeVisible()
  await stop.click()

  await expect(playButton(page, 'the clip')).toBeVisible()
  await page.getByRole('button', { name: 'Check the clip' }).click()
  const verdict = page.getByRole('status', { name: 'Verdict' })
  await expect(verdict).toContainText('This clip can become a voice')
  await expect(verdict).toContainText(/\d+\.\d\sHz/)

  await page.getByLabel('Name').fill('Test speaker')
  const save = page.getByRole('button', { name: 'Save the voice' })
  await expect(save).toBeDisabled()
  await expect(save).toHaveAccessibleDescription('Tick the consent above.')
  await expectToFitNarrowWindow(page)
  await page.getByLabel(/has agreed/).check()
  await save.click()
  await expect(page.getByRole('heading', { name: 'Test speaker' })).toBeVisible()

  await page.getByRole('button', { name: 'Speak in this voice: Test speaker' }).click()
  const play = playButton(page, 'speech as Test speaker')
  await play.click({ timeout: 60_000 })
  await expect(page.getByRole('button', { name: 'Pause speech as Test speaker' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'Spectrogram of Imitation' })).toBeVisible()
  await picture(page, 'voices', { fullPage: true })
  const consent = page.getByText(/Consent: Confirmed in the panel on .*the speaker is the person/)
  await expect(consent).not.toContainText(/\dT\d\d:/)
  await expectToFitNarrowWindow(page)
  expect(await page.evaluate(SPECTROGRAM_BRIGHTNESS)).toBeGreaterThan(150)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => page.evaluate(SPECTROGRAM_BRIGHTNESS)).toBeLessThan(100)
  expect(await seriousFindings(page)).toEqual([])

  await page.getByRole('button', { name: 'Delete Test speaker' }).click()
  await page.getByRole('button', { name: 'Delete the clip for good of Test speaker' }).click()
  await expect(page.getByRole('heading', { name: 'Test speaker' })).toBeHidden()
})

/** For the page: the mean of the first spectrogram, 0 for black to 255 for white. */
const SPECTROGRAM_BRIGHTNESS = `(() => {
  const canvas = document.querySelector('canvas[aria-label^="Spectrogram"]')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  return data.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0) / (data.length * 0.75)
})()`

test('a new clip takes nothing over from the one before: consent, cut, name, licence, origin', async ({
  panel: page,
}) => {
  const verdict = { findings: [], speech_level_db: -20, peak_db: -3, clipped_ratio: 0, silent_ratio: 0 }
  await page.route('**/control/services/tts/proxy/voices/check', (route) =>
    route.fulfill({ json: { ...verdict, ok: true, seconds: 4, signal_to_noise_db: 40, median_f0_hz: 120 } }),
  )
  await openAudio(page, 'Voices')
  const choose = (seconds: number): Promise<void> =>
    page.locator('input[type=file]').setInputFiles({
      name: `${seconds}.wav`,
      mimeType: 'audio/wav',
      buffer: Buffer.from(encodeWav({ samples: new Float32Array(seconds * 8000).fill(0.1), sampleRate: 8000 })),
    })
  const check = page.getByRole('button', { name: 'Check the clip' })
  const consent = page.getByLabel(/has agreed/)
  await choose(4)
  await expect(page.getByText('4.0 s chosen')).toBeVisible()
  // The wave, once it is there, gives its bounds, which withdraws a verdict.
  await expect(async () => {
    await check.click()
    await expect(consent).toBeVisible({ timeout: 1000 })
  }).toPass()
  await consent.check()
  const fields = ['Name', 'Licence of the clip', 'Where it comes from'].map((label) => page.getByLabel(label))
  for (const field of fields) await field.fill('of the first clip')

  // Trimming takes back the verdict alone.
  const edge = (await page.locator('[part~=region-handle-right]').boundingBox())!
  await page.mouse.move(edge.x + edge.width / 2, edge.y + edge.height / 2)
  await page.mouse.down()
  await page.mouse.move(edge.x - 100, edge.y + edge.height / 2, { steps: 5 })
  await page.mouse.up()
  await expect(page.getByText(/^3\.\d s chosen/)).toBeVisible()
  await expect(consent).toBeHidden()
  await check.click()
  for (const field of fields) await expect(field).toHaveValue('of the first clip')

  // The wave of the second clip never comes, as if it were drawn slowly.
  await page.evaluate(STOP_WAVES)
  await choose(6)
  await expect(page.getByText('6.0 s chosen')).toBeVisible()
  await expect(consent).toBeHidden()
  const sent = page.waitForRequest('**/voices/check')
  await check.click()
  expect((await sent).postDataBuffer()!.length).toBeGreaterThan(6 * 8000 * 2)
  await expect(consent).not.toBeChecked()
  for (const field of fields) await expect(field).toHaveValue('')
  await page.getByLabel('Name').fill('Somebody else')
  await expect(page.getByRole('button', { name: 'Save the voice' })).toBeDisabled()
})

/** For the page: sounds at the rate at which waves are drawn are read for ever. */
const STOP_WAVES = `{
  const decode = BaseAudioContext.prototype.decodeAudioData
  BaseAudioContext.prototype.decodeAudioData = function (data) {
    return this.sampleRate === 8000 ? new Promise(() => undefined) : decode.call(this, data)
  }
}`

test('a file without audio is named as what it is, and becomes no clip', async ({ panel: page }) => {
  await openAudio(page, 'Voices')
  const alert = page.locator('main').getByRole('alert')
  const choose = (name: string, content: string): Promise<void> =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'audio/wav', buffer: Buffer.from(content) })
  await choose('empty.wav', '')
  await expect(alert).toHaveText('▲ empty.wav is empty: it has 0 bytes.')
  await choose('words.wav', 'words')
  await expect(alert).toHaveText(/^▲ words\.wav contains no audio that the browser can decode/)
  await expect(playButton(page, 'the clip')).toHaveCount(0)
})
