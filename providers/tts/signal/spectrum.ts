import FFT from 'fft.js'
import type { Sound } from '../../kit/audio/sound.ts'

const FFT_SIZE = 1024
const BANDS = 40
const QUIET_SHARE = 0.05

/** Middle frequencies of the bands that `longTermSpectrum` gives, in hertz: even steps on the mel scale up to half the rate. */
function bandCentres(sampleRate: number): Float64Array {
  const top = toMel(sampleRate / 2)
  return Float64Array.from({ length: BANDS }, (_, i) => fromMel((top * (i + 1)) / (BANDS + 1)))
}

/** Mean level of the speech in each band, in decibels around a mean of 0: loudness is taken out. Quiet frames do not count. */
export function longTermSpectrum(sound: Sound): Float64Array {
  const power = meanPower(sound)
  const centres = bandCentres(sound.sampleRate)
  const top = toMel(sound.sampleRate / 2)
  const width = top / (BANDS + 1)
  const bands = new Float64Array(BANDS)
  for (let band = 0; band < BANDS; band += 1) {
    let sum = 0
    let weights = 0
    for (let bin = 1; bin < power.length; bin += 1) {
      const distance = Math.abs(toMel((bin * sound.sampleRate) / FFT_SIZE) - toMel(centres[band]!)) / width
      if (distance >= 1) continue
      sum += power[bin]! * (1 - distance)
      weights += 1 - distance
    }
    bands[band] = 10 * Math.log10(sum / Math.max(weights, 1e-9) + 1e-12)
  }
  const mean = bands.reduce((sum, level) => sum + level, 0) / BANDS
  return bands.map((level) => level - mean)
}

/** Taps of a linear-phase filter whose gain follows `gainsDb` at the band centres. The delay is half its length. */
export function filterFor(gainsDb: Float64Array, sampleRate: number, taps = 511): Float32Array {
  const size = 1024
  const centres = bandCentres(sampleRate)
  const fft = new FFT(size)
  const spectrum = fft.createComplexArray() as number[]
  for (let bin = 0; bin <= size / 2; bin += 1) {
    const gain = 10 ** (interpolate(centres, gainsDb, (bin * sampleRate) / size) / 20)
    spectrum[2 * bin] = gain
    if (bin > 0 && bin < size / 2) spectrum[2 * (size - bin)] = gain
  }
  const response = fft.createComplexArray() as number[]
  fft.inverseTransform(response, spectrum)
  const middle = (taps - 1) / 2
  return Float32Array.from({ length: taps }, (_, i) => {
    const window = 0.5 + 0.5 * Math.cos((Math.PI * (i - middle)) / (middle + 1))
    return response[2 * ((i - middle + size) % size)]! * window
  })
}

/** The signal through the filter, its delay taken out. */
export function applyFilter(samples: Float32Array, taps: Float32Array): Float32Array {
  const middle = (taps.length - 1) / 2
  const output = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i += 1) {
    let sum = 0
    const first = Math.max(0, i + middle - samples.length + 1)
    const last = Math.min(taps.length - 1, i + middle)
    for (let k = first; k <= last; k += 1) sum += taps[k]! * samples[i + middle - k]!
    output[i] = sum
  }
  return output
}

function meanPower({ samples }: Sound): Float64Array {
  const fft = new FFT(FFT_SIZE)
  const spectrum = fft.createComplexArray() as number[]
  const frames: { energy: number; power: Float64Array }[] = []
  for (let start = 0; start + FFT_SIZE <= samples.length; start += FFT_SIZE / 2) {
    const frame = Array.from({ length: FFT_SIZE }, (_, i) => {
      return samples[start + i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FFT_SIZE))
    })
    fft.realTransform(spectrum, frame)
    const power = Float64Array.from(
      { length: FFT_SIZE / 2 + 1 },
      (_, bin) => spectrum[2 * bin]! ** 2 + spectrum[2 * bin + 1]! ** 2,
    )
    frames.push({ energy: power.reduce((sum, value) => sum + value, 0), power })
  }
  const loudest = Math.max(0, ...frames.map(({ energy }) => energy))
  const spoken = frames.filter(({ energy }) => energy > loudest * QUIET_SHARE * QUIET_SHARE)
  const mean = new Float64Array(FFT_SIZE / 2 + 1)
  for (const { power } of spoken) power.forEach((value, bin) => (mean[bin]! += value / spoken.length))
  return mean
}

function interpolate(centres: Float64Array, values: Float64Array, hertz: number): number {
  const above = centres.findIndex((centre) => centre >= hertz)
  if (above === 0) return values[0]!
  if (above < 0) return values.at(-1)!
  const share = (hertz - centres[above - 1]!) / (centres[above]! - centres[above - 1]!)
  return values[above - 1]! * (1 - share) + values[above]! * share
}

function toMel(hertz: number): number {
  return 2595 * Math.log10(1 + hertz / 700)
}

function fromMel(mel: number): number {
  return 700 * (10 ** (mel / 2595) - 1)
}
