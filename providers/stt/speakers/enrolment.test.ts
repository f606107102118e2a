import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HttpError } from '../../kit/http-error.ts'
import { scriptedRecogniser } from '../../../tests/helpers/scripted-recogniser.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import type { Hints, Recogniser, SpeakerFitting, TimedWord } from '../backends/recogniser.ts'
import { Enrolment } from './enrolment.ts'
import { SpeakerStore } from './speaker-store.ts'

const signal = new AbortController().signal
const RATE = 16_000

/** A recording of which the recogniser below hears `name`: its length says which sentence it is. */
function recording(number: number, level = 0.3): Sound {
  const samples = Float32Array.from({ length: RATE + number }, (_, i) => level * Math.sin(i / 9))
  return { samples, sampleRate: RATE }
}
const textOf = (number: number): string => `sentence number ${'abcdefghijklmnopqrstuvwxyz'[number]!}`
const words = (text: string): TimedWord[] => text.split(' ').map((word, i) => ({ text: word, start: i, end: i + 1 }))

let folder: string
let fits: { readings: number; folder: string }[]
let basis: string
let whenFitted: (text: string) => string
let matches: (readings: number) => number
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stt-speakers-'))
  fits = []
  basis = 'general'
  whenFitted = (text) => text
  matches = (readings) => readings
})
afterEach(() => rm(folder, { recursive: true }))

/** Hears `number` for `sentence` until it is fitted. */
function recogniser(unavailable: string | null = null): Recogniser {
  const fitting: SpeakerFitting = {
    unavailability: async () => unavailable,
    get basis() {
      return basis
    },
    async wordsOf(text) {
      const all = text.split(' ')
      return { words: all, unknown: all.filter((word) => word === 'xyzzy') }
    },
    async fit(readings, target) {
      fits.push({ readings: readings.length, folder: target })
      await writeFile(join(target, 'means'), `${readings.length}`)
      return matches(readings.length)
    },
  }
  return scriptedRecogniser({
    fitting,
    async recognise({ samples }: Sound, _signal: AbortSignal, { speakerModel = null }: Hints = {}) {
      const said = textOf(samples.length - RATE)
      return words(speakerModel === null ? said.replace('sentence', 'number') : whenFitted(said))
    },
  })
}

async function enrolled(sentences: number, unavailable: string | null = null) {
  const models = { current: () => recogniser(unavailable), get: () => recogniser(unavailable) }
  const enrolment = new Enrolment(new SpeakerStore(folder), models)
  const { id } = await enrolment.add({ name: 'Ada', consent: 'agreed' })
  for (let i = 0; i < sentences; i += 1) await enrolment.read(id, textOf(i), recording(i), signal)
  return { enrolment, id }
}

describe('reading', () => {
  it('keeps sentences in their order with what was heard, and replaces one that is read again', async () => {
    const { enrolment, id } = await enrolled(2)
    const again = await enrolment.read(id, textOf(0), recording(0), signal)
    expect(again).toMatchObject({ heard: 'number number a', words: 3, errors: 1, seconds: 1 })
    expect(again.speaker).toMatchObject({ name: 'Ada', consent: 'agreed', read: [textOf(1), textOf(0)], seconds: 2 })
    const [speaker] = (await enrolment.list()).data
    expect(speaker).toEqual(again.speaker)
  })

  it('refuses what would teach wrong sounds, and says why', async () => {
    const { enrolment, id } = await enrolled(0)
    const refusal = (text: string, sound: Sound) => enrolment.read(id, text, sound, signal)
    await expect(refusal('sentence xyzzy a', recording(0))).rejects.toMatchObject({
      status: 422,
      detail: expect.stringMatching(/know: xyzzy/),
    })
    await expect(refusal(textOf(0), recording(0, 0.001))).rejects.toMatchObject({
      status: 400,
      detail: expect.stringMatching(/silent/),
    })
    await expect(refusal(textOf(0), recording(0, 3))).rejects.toMatchObject({
      status: 400,
      detail: expect.stringMatching(/too loud/),
    })
    const long = Array.from({ length: 12 }, () => 'sentence').join(' ')
    await expect(refusal(long, recording(0))).rejects.toMatchObject({
      status: 400,
      detail: expect.stringMatching(/too short for 12 words/),
    })
    await expect(refusal('sentence', recording(9 * RATE))).rejects.toMatchObject({
      detail: expect.stringMatching(/too long for 1 word;/),
    })
    await expect(refusal('something else', recording(0))).rejects.toMatchObject({
      status: 400,
      detail: expect.stringMatching(/Too little .* “number number a” was heard/),
    })
    expect((await enrolment.list()).data[0]!.read).toEqual([])
  })

  it('is refused where nothing can be fitted, and for speakers that nobody knows', async () => {
    const { enrolment, id } = await enrolled(0, 'bw is not installed')
    await expect(enrolment.read(id, textOf(0), recording(0), signal)).rejects.toMatchObject({
      status: 503,
      detail: 'bw is not installed',
    })
    expect((await enrolment.list()).unavailable).toBe('bw is not installed')
    for (const unknown of ['../..', 'b54ff4a0-2f2e-4a8f-9a3e-000000000000'])
      await expect(enrolment.modelOf(unknown)).rejects.toMatchObject({ status: 404 })
  })
})

describe('a fit', () => {
  it('is judged by every fifth sentence before it is made of all', async () => {
    matches = (readings) => readings - 1
    const { enrolment, id } = await enrolled(22)
    const { fit } = await enrolment.fit(id, signal)
    expect(fits.map(({ readings }) => readings)).toEqual([18, 22])
    expect(fit).toMatchObject({ sentences: 22, matched_sentences: 21, checked_sentences: 4, checked_words: 12 })
    expect(fit).toMatchObject({ errors_before: 4, errors_after: 0, used: true })
    expect(await enrolment.modelOf(id)).toBe(fits[1]!.folder)
    expect((await enrolment.list()).data[0]!.fit).toEqual(fit)
  })

  it('that hears no better is told and not used', async () => {
    whenFitted = (text) => text.replace('number', 'of')
    const { enrolment, id } = await enrolled(20)
    const { fit } = await enrolment.fit(id, signal)
    expect(fit).toMatchObject({ errors_before: 4, errors_after: 4, used: false })
    expect(await enrolment.modelOf(id)).toBeNull()
    const [model] = (await readdir(join(folder, id))).filter((name) => name.startsWith('model-'))
    await enrolment.fit(id, signal)
    expect(await readdir(join(folder, id))).not.toContain(model)
  })

  it('takes the place of the one before, and is not used with another model of the recogniser', async () => {
    const { enrolment, id } = await enrolled(20)
    await enrolment.fit(id, signal)
    const first = (await enrolment.modelOf(id))!
    await enrolment.fit(id, signal)
    const second = (await enrolment.modelOf(id))!
    expect(second).not.toBe(first)
    // Somebody may still be heard by it.
    await access(first)
    await enrolment.fit(id, signal)
    await expect(access(first)).rejects.toThrow('ENOENT')
    await access(second)
    basis = 'another general model'
    expect(await enrolment.modelOf(id)).toBeNull()
    expect((await enrolment.list()).data[0]!.fit!.used).toBe(false)
  })

  it('needs sentences enough that match, and one at a time', async () => {
    const { enrolment, id } = await enrolled(19)
    await expect(enrolment.fit(id, signal)).rejects.toMatchObject({
      status: 409,
      detail: expect.stringMatching(/read 1 more/),
    })
    await enrolment.read(id, textOf(19), recording(19), signal)
    const both = await Promise.allSettled([enrolment.fit(id, signal), enrolment.fit(id, signal)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    matches = () => 7
    await expect(enrolment.fit(id, signal)).rejects.toMatchObject({
      status: 409,
      detail: expect.stringMatching(/Only 7 of 16 recordings/),
    })
    // What there was stays.
    expect(await enrolment.modelOf(id)).not.toBeNull()
    expect((await readdir(join(folder, id))).filter((name) => name.startsWith('model-'))).toHaveLength(1)
  })
})

it('takes recordings and model off the disk with the speaker', async () => {
  const { enrolment, id } = await enrolled(20)
  await enrolment.fit(id, signal)
  await enrolment.remove(id)
  expect(await readdir(folder)).toEqual([])
  await expect(enrolment.remove(id)).rejects.toMatchObject({ status: 404 })
})

it('lists and deletes speakers also while there is no recogniser', async () => {
  const { enrolment, id } = await enrolled(20)
  await enrolment.fit(id, signal)
  const loading = new Enrolment(new SpeakerStore(folder), {
    current: () => null,
    get: () => {
      throw new HttpError(503, 'Service is loading')
    },
  })
  const { data, unavailable } = await loading.list()
  expect(data).toMatchObject([{ name: 'Ada', fit: { used: false } }])
  expect(unavailable).toBe('The recogniser is not loaded.')
  await expect(loading.fit(id, signal)).rejects.toMatchObject({ status: 503 })
  expect(await loading.remove(id)).toBe('Ada')
  expect((await loading.list()).data).toEqual([])
})

it('says of a recording that was damaged which sentence to read again, and of a deletion during a fit that nobody is there', async () => {
  const { enrolment, id } = await enrolled(20)
  const sentences = join(folder, id, 'sentences')
  const wave = (await readdir(sentences)).find((name) => name.endsWith('.wav'))!
  await writeFile(join(sentences, wave), '')
  await expect(enrolment.fit(id, signal)).rejects.toMatchObject({
    status: 409,
    detail: expect.stringMatching(/^The recording of “sentence number .” is damaged; read that sentence again/),
  })
  const other = await enrolled(20)
  matches = () => {
    throw new Error('the folder is gone')
  }
  const doomed = other.enrolment.fit(other.id, signal)
  doomed.catch(() => undefined)
  await other.enrolment.remove(other.id)
  await expect(doomed).rejects.toMatchObject({ status: 404 })
})
