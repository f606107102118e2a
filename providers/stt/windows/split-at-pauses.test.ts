import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../../tests/helpers/random.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import { splitAtPauses } from './split-at-pauses.ts'

const RATE = 16_000

/** Tones and the room alone in turn, of these seconds; the room's noise is `contrastDb` quieter than a tone. */
function speech(...seconds: number[]): Sound {
  return inRoom(50, seconds)
}

function inRoom(contrastDb: number, seconds: readonly number[]): Sound {
  const random = randomFrom(7)
  const noise = 0.3 * 10 ** (-contrastDb / 20)
  const samples: number[] = []
  seconds.forEach((length, turn) => {
    const level = turn % 2 === 0 ? 0.3 : 0
    // A tone's power is half of its height squared, that of even noise a third.
    for (let i = 0; i < length * RATE; i += 1)
      samples.push(level * Math.sin(i / 5) + noise * Math.sqrt(1.5) * (2 * random() - 1))
  })
  return { samples: Float32Array.from(samples), sampleRate: RATE }
}

const boundsOf = (sound: Sound) =>
  splitAtPauses(sound).map(({ start, end }) => [Number(start.toFixed(1)), Number(end.toFixed(1))])

describe('parts of a recording', () => {
  it('meet in the middle of a pause', () => {
    expect(boundsOf(speech(4, 0.6, 5, 1, 3.5))).toEqual([
      [0, 4.3],
      [4.3, 10.1],
      [10.1, 14.1],
    ])
  })

  it('are not cut at the short stops within a sentence', () => {
    expect(boundsOf(speech(4, 0.3, 5))).toEqual([[0, 9.3]])
  })

  it('are found in a noisy room, and not where speech is lost in it', () => {
    const seconds = [4, 0.8, 5, 0.8, 4]
    const parts = [
      [0, 4.4],
      [4.4, 10.2],
      [10.2, 14.6],
    ]
    for (const contrast of [40, 30, 25, 20]) expect(boundsOf(inRoom(contrast, seconds))).toEqual(parts)
    expect(boundsOf(inRoom(12, seconds))).toEqual([[0, 14.6]])
  })

  it('are never short', () => {
    expect(boundsOf(speech(1, 0.6, 4, 0.6, 1))).toEqual([[0, 7.2]])
    expect(boundsOf(speech(2, 0.6, 2, 0.6, 4))).toEqual([
      [0, 4.9],
      [4.9, 9.2],
    ])
  })

  it('cover silence, nothing and a sound that does not pause', () => {
    expect(boundsOf({ samples: new Float32Array(RATE * 8), sampleRate: RATE })).toEqual([[0, 8]])
    expect(boundsOf({ samples: new Float32Array(0), sampleRate: RATE })).toEqual([[0, 0]])
    expect(boundsOf(speech(20))).toEqual([[0, 20]])
  })
})
