import type { PageSound } from './sound-buffer.ts'

const SIZE = 512
const RANGE_DB = 60

/** Loudness of each frequency in each column, 0 to 1 over a range of 60 dB below the loudest; columns over time, rows from 0 to `topHertz`. */
export function spectrogramLevels(sound: PageSound, columns: number, rows: number, topHertz: number): Float32Array[] {
  const { samples, sampleRate } = sound
  const step = Math.max(1, (samples.length - SIZE) / columns)
  const bins = Math.min(SIZE / 2, Math.ceil((topHertz / sampleRate) * SIZE))
  const powers = Array.from({ length: columns }, (_, x) => power(samples, Math.floor(x * step)))
  const loudest = Math.max(1e-12, ...powers.map((column) => column.reduce((most, value) => Math.max(most, value), 0)))
  return powers.map((column) =>
    Float32Array.from({ length: rows }, (_, row) => {
      const value = column[Math.floor((row / rows) * bins)] ?? 0
      return Math.max(0, 1 + (10 * Math.log10(value / loudest + 1e-12)) / RANGE_DB)
    }),
  )
}

/** Power of each frequency of one windowed frame: a radix-2 transform in place. */
function power(samples: Float32Array, start: number): Float32Array {
  const re = new Float64Array(SIZE)
  const im = new Float64Array(SIZE)
  for (let i = 0; i < SIZE; i += 1) {
    re[reversed(i)] = (samples[start + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE))
  }
  for (let half = 1; half < SIZE; half *= 2) {
    for (let at = 0; at < SIZE; at += 2 * half) {
      for (let k = 0; k < half; k += 1) {
        const angle = (-Math.PI * k) / half
        const a = at + k
        const b = a + half
        const turnedRe = re[b]! * Math.cos(angle) - im[b]! * Math.sin(angle)
        const turnedIm = re[b]! * Math.sin(angle) + im[b]! * Math.cos(angle)
        re[b] = re[a]! - turnedRe
        im[b] = im[a]! - turnedIm
        re[a]! += turnedRe
        im[a]! += turnedIm
      }
    }
  }
  return Float32Array.from({ length: SIZE / 2 }, (_, i) => re[i]! ** 2 + im[i]! ** 2)
}

function reversed(index: number): number {
  let result = 0
  for (let bit = 1; bit < SIZE; bit *= 2) result = result * 2 + ((index & bit) === 0 ? 0 : 1)
  return result
}
