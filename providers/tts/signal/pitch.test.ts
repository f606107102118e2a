import { afterAll, describe, expect, it } from 'vitest'
import { randomFrom } from '../../../tests/helpers/random.ts'
import { FliteEngine } from '../engines/flite/flite-engine.ts'
import { medianPitch, trackPitch } from './pitch.ts'
import { shiftPitch } from './shift-pitch.ts'

const flite = new FliteEngine()
afterAll(() => flite.close())

const random = randomFrom(7)
/** Two seconds of a buzz with all its harmonics, and so much hiss. */
const buzz = (hertz: number, hiss: number) => ({
  samples: Float32Array.from(
    { length: 32_000 },
    (_, i) => 0.3 * (1 - 2 * (((i * hertz) / 16_000) % 1)) + hiss * (random() - 0.5),
  ),
  sampleRate: 16_000,
})

describe('pitch', () => {
  it.each([
    [75, 0],
    [110, 0.3],
    [220, 0.3],
    [350, 0.1],
  ])('of a buzz of %d Hz with hiss of %d', (hertz, hiss) => {
    const frames = trackPitch(buzz(hertz, hiss))
    expect(medianPitch(frames)).toBeCloseTo(hertz, 0)
    expect(frames.filter(({ f0 }) => Math.abs(f0 / hertz - 1) < 0.03).length / frames.length).toBeGreaterThan(0.95)
  })

  it('is not found in hiss', () => {
    expect(medianPitch(trackPitch(buzz(0, 0.6)))).toBeNull()
  })
})

it('is moved by what was asked for, also in a low and rough voice', async () => {
  const text = 'She had your dark suit in greasy wash water all year.'
  const plain = await flite.speak({ text, voice: 'kal16', speed: 1 }, new AbortController().signal)
  const frames = trackPitch(plain)
  expect(frames.filter(({ f0 }) => f0 > 0).length / frames.length).toBeGreaterThan(0.4)
  for (const ratio of [0.85, 1.1, 1.3]) {
    const reached = medianPitch(trackPitch(shiftPitch(plain, frames, ratio)))! / medianPitch(frames)!
    expect(Math.abs(reached / ratio - 1)).toBeLessThan(0.03)
  }
})
