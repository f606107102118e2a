import { resample } from '../../kit/audio/resample.ts'
import type { Sound } from '../../kit/audio/sound.ts'

/** Pitch at one moment: `f0` is 0 where there is no voice. */
export interface PitchFrame {
  /** Index of the frame's middle sample. */
  center: number
  f0: number
}

/** Enough for the pitch, and a quarter of the work of 16 kHz. */
const WORKING_RATE = 8000
const FRAME_SECONDS = 0.04
const HOP_SECONDS = 0.01
const LOWEST_HZ = 60
const HIGHEST_HZ = 400
/** A lag whose difference is below this share of the mean is a period (YIN, de Cheveigné and Kawahara 2002). */
const THRESHOLD = 0.15
/** Rough voices have no such lag in most of their frames; there the deepest one is taken, up to this share. Hiss stays above it. */
const ROUGH_THRESHOLD = 0.4
/** A longer lag must be this much deeper: two periods fit nearly as well as one, and are an octave too low. */
const OCTAVE_COST = 0.1
const SILENCE = 0.005

/** Fundamental frequency every 10 ms, by the normalized difference function of YIN, octave errors smoothed by a median of five. */
export function trackPitch(sound: Sound): PitchFrame[] {
  const { samples, sampleRate } = resample(sound, WORKING_RATE)
  const scale = sound.sampleRate / sampleRate
  const width = Math.round(FRAME_SECONDS * sampleRate)
  const hop = Math.round(HOP_SECONDS * sampleRate)
  const longest = Math.ceil(sampleRate / LOWEST_HZ)
  const frames: PitchFrame[] = []
  for (let start = 0; start + width + longest < samples.length; start += hop) {
    const center = Math.round((start + (width + longest) / 2) * scale)
    frames.push({ center, f0: framePitch(samples, start, width, sampleRate) })
  }
  return smooth(frames)
}

/** Median of the voiced frames; null when fewer than ten are voiced. */
export function medianPitch(frames: readonly PitchFrame[]): number | null {
  const voiced = frames.map(({ f0 }) => f0).filter((f0) => f0 > 0)
  if (voiced.length < 10) return null
  voiced.sort((a, b) => a - b)
  return voiced[voiced.length >> 1]!
}

function framePitch(samples: Float32Array, start: number, width: number, sampleRate: number): number {
  let energy = 0
  for (let i = 0; i < width; i += 1) energy += samples[start + i]! ** 2
  if (Math.sqrt(energy / width) < SILENCE) return 0
  const shortest = Math.floor(sampleRate / HIGHEST_HZ)
  const longest = Math.ceil(sampleRate / LOWEST_HZ)
  const normal = new Float64Array(longest + 1)
  let running = 0
  for (let lag = 1; lag <= longest; lag += 1) {
    let difference = 0
    for (let i = 0; i < width; i += 1) {
      const step = samples[start + i]! - samples[start + i + lag]!
      difference += step * step
    }
    running += difference
    normal[lag] = running === 0 ? 1 : (difference * lag) / running
  }
  const period = periodLag(normal, shortest, longest)
  if (period === null) return 0
  return sampleRate / (period + parabola(normal[period - 1]!, normal[period]!, normal[period + 1]!))
}

/** The first dip below the threshold, else the deepest that a rough voice may have; null where nothing is voiced. */
function periodLag(normal: Float64Array, shortest: number, longest: number): number | null {
  let deepest: number | null = null
  for (let lag = shortest; lag < longest; lag += 1) {
    if (normal[lag]! >= ROUGH_THRESHOLD) continue
    while (lag + 1 < longest && normal[lag + 1]! < normal[lag]!) lag += 1
    if (normal[lag]! < THRESHOLD) return lag
    if (deepest === null || normal[lag]! < normal[deepest]! - OCTAVE_COST) deepest = lag
  }
  return deepest
}

/** Offset of a parabola's lowest point through three neighbours. */
function parabola(before: number, at: number, after: number): number {
  const bend = before - 2 * at + after
  return bend === 0 ? 0 : (before - after) / (2 * bend)
}

function smooth(frames: readonly PitchFrame[]): PitchFrame[] {
  return frames.map((frame, i) => {
    if (frame.f0 === 0) return frame
    const near = frames
      .slice(Math.max(0, i - 2), i + 3)
      .map(({ f0 }) => f0)
      .filter((f0) => f0 > 0)
      .sort((a, b) => a - b)
    return { ...frame, f0: near[near.length >> 1]! }
  })
}
