import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sound } from '../../../kit/audio/sound.ts'
import { FliteEngine } from '../flite/flite-engine.ts'
import { VoiceFitEngine } from './voice-fit-engine.ts'

let flite: FliteEngine
let clip: { key: string; sound: Sound }
beforeAll(async () => {
  flite = new FliteEngine()
  const text = 'The committee met twice in the spring and once again in the autumn of that year.'
  clip = { key: 'k', sound: await flite.speak({ text, voice: 'slt', speed: 1 }, new AbortController().signal) }
})
afterAll(() => flite.close())

it('a caller that leaves while a clip is learned does not take the result from another caller of the same clip', async () => {
  const engine = new VoiceFitEngine(flite)
  const first = new AbortController()
  const speak = (signal: AbortSignal): Promise<Sound[]> => engine.speakLike(clip, ['Hello there.'], 1, signal)
  const left = speak(first.signal)
  const stays = speak(new AbortController().signal)
  first.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect((await stays)[0]!.samples.length).toBeGreaterThan(1000)
  await engine.close()
})
