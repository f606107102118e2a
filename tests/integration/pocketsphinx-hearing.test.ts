import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import { openPocketsphinx } from '../../providers/stt/backends/pocketsphinx.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'

const isInstalled = spawnSync('which', ['pocketsphinx_batch']).status === 0
const PAUSE_SECONDS = 1

it.skipIf(!isInstalled)('a word has its time whatever pauses precede it', async () => {
  const signal = new AbortController().signal
  const engine = new FliteEngine()
  const text = 'The ferry leaves the old harbour at seven in the morning.'
  const sentence = await engine.speak({ text, voice: 'kal16', speed: 1 }, signal)
  await engine.close()
  const recognizer = await openPocketsphinx()
  const words = await recognizer.recognize(joinSounds([sentence, sentence], PAUSE_SECONDS), signal)
  const second = durationSeconds(sentence) + PAUSE_SECONDS
  const [before, after] = [
    words.filter(({ start }) => start < second - 0.5),
    words.filter(({ start }) => start > second - 0.5),
  ]
  expect(before.length).toBeGreaterThan(5)
  expect(after.map(({ text: word }) => word)).toEqual(before.map(({ text: word }) => word))
  after.forEach(({ start }, i) => expect(Math.abs(start - second - before[i]!.start)).toBeLessThan(0.05))
})

// With the programs' own weights these are "what", "jurors" and "the".
it.skipIf(!isInstalled).each([
  ['Both of them arrived at four with wet shoes and cold feet.', 'wet'],
  ['We invited twelve guests but had only eleven chairs.', 'chairs'],
  ['When is the earliest train from this station to the south coast?', 'this'],
])('likelier words do not override what is spoken: %s', async (text, word) => {
  const signal = new AbortController().signal
  const engine = new FliteEngine()
  const sound = await engine.speak({ text, voice: 'rms', speed: 1 }, signal)
  await engine.close()
  const recognizer = await openPocketsphinx()
  expect((await recognizer.recognize(sound, signal)).map(({ text }) => text)).toContain(word)
})

it.skipIf(!isInstalled).each([1, 30])(
  'in %s seconds of a microphone that is off nothing is recognized',
  async (seconds) => {
    const recognizer = await openPocketsphinx()
    const sound = { samples: new Float32Array(seconds * 16_000), sampleRate: 16_000 }
    expect(await recognizer.recognize(sound, new AbortController().signal)).toEqual([])
  },
)
