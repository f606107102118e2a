import type { Sound } from './sound.ts'

/** Zero crossings of the kernel on each side: 60 dB of stop band with the window below. */
const HALF_WIDTH = 16
const PHASES = 512

/** The sound at another rate: windowed sinc interpolation, low-passed below the smaller of the two Nyquist frequencies. */
export function resample(sound: Sound, sampleRate: number): Sound {
  if (sound.sampleRate === sampleRate) return sound
  return { samples: stretch(sound.samples, sound.sampleRate / sampleRate), sampleRate }
}

/** Every `step`-th value of the signal, between samples too: `step` 2 halves the length. Frequencies that would fold are taken out. */
export function stretch(input: Float32Array, step: number): Float32Array {
  const cutoff = Math.min(1, 1 / step) * 0.95
  const reach = Math.ceil(HALF_WIDTH / cutoff)
  const kernel = kernelTable(cutoff, reach)
  const output = new Float32Array(Math.floor(input.length / step))
  for (let i = 0; i < output.length; i += 1) {
    const center = i * step
    const first = Math.max(0, Math.ceil(center - reach))
    const last = Math.min(input.length - 1, Math.floor(center + reach))
    let sum = 0
    for (let j = first; j <= last; j += 1) sum += input[j]! * kernel[Math.round(Math.abs(center - j) * PHASES)]!
    output[i] = sum
  }
  return output
}

const tables = new Map<number, Float64Array>()

function kernelTable(cutoff: number, reach: number): Float64Array {
  const known = tables.get(cutoff)
  if (known !== undefined) return known
  const table = new Float64Array(reach * PHASES + 1)
  for (let i = 0; i < table.length; i += 1) {
    const x = i / PHASES
    const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x)
    const window = 0.42 + 0.5 * Math.cos((Math.PI * x) / reach) + 0.08 * Math.cos((2 * Math.PI * x) / reach)
    table[i] = sinc * window
  }
  if (tables.size > 16) tables.clear()
  tables.set(cutoff, table)
  return table
}
