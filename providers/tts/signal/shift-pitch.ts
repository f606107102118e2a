import type { Sound } from '../../kit/audio/sound.ts'
import type { PitchFrame } from './pitch.ts'

const UNVOICED_STEP_SECONDS = 0.008

/**
 * The sound with its pitch multiplied by `ratio`, tempo and spectral envelope kept: time-domain pitch-synchronous overlap-add (Moulines and
 * Charpentier 1990). Unvoiced stretches are copied.
 */
export function shiftPitch(sound: Sound, frames: readonly PitchFrame[], ratio: number): Sound {
  const { samples, sampleRate } = sound
  const marks = pitchMarks(samples, sampleRate, frames)
  const output = new Float32Array(samples.length)
  const weight = new Float32Array(samples.length)
  let nearest = 0
  for (let at = marks[0]?.at ?? 0; at < samples.length && marks.length > 0;) {
    while (nearest + 1 < marks.length && Math.abs(marks[nearest + 1]!.at - at) <= Math.abs(marks[nearest]!.at - at))
      nearest += 1
    const { at: source, period, voiced } = marks[nearest]!
    const reach = Math.round(period)
    // Unvoiced grains keep their place, or noise would get a pitch.
    const target = Math.round(voiced ? at : source)
    for (let i = -reach; i <= reach; i += 1) {
      const from = source + i
      const to = target + i
      if (from < 0 || from >= samples.length || to < 0 || to >= samples.length) continue
      const window = 0.5 + 0.5 * Math.cos((Math.PI * i) / reach)
      output[to]! += samples[from]! * window
      weight[to]! += window
    }
    at = voiced ? at + period / ratio : Math.max(at + 1, marks[nearest + 1]?.at ?? samples.length)
  }
  // Gaps between grains are the new, longer period: filling them up would bring the old one back.
  for (let i = 0; i < output.length; i += 1) output[i]! /= Math.max(weight[i]!, 1)
  return { samples: output, sampleRate }
}

interface Mark {
  at: number
  period: number
  voiced: boolean
}

/** A mark on the strongest peak of each period, and one every few milliseconds where nothing is voiced. */
function pitchMarks(samples: Float32Array, sampleRate: number, frames: readonly PitchFrame[]): Mark[] {
  const f0At = frameLookup(frames)
  const idle = Math.round(UNVOICED_STEP_SECONDS * sampleRate)
  const marks: Mark[] = []
  let wasVoiced = false
  for (let at = 0; at < samples.length;) {
    const f0 = f0At(at)
    if (f0 === 0) {
      marks.push({ at: Math.round(at), period: idle, voiced: false })
      at += idle
      wasVoiced = false
      continue
    }
    const period = sampleRate / f0
    // The first peak of a stretch may lie anywhere in a period, the next close to where it is expected.
    const slack = wasVoiced ? 0.2 * period : 0.5 * period
    const peak = strongest(samples, at - slack, at + slack)
    const last = marks.at(-1)
    const place = last !== undefined && peak <= last.at ? Math.round(at) : peak
    marks.push({ at: place, period, voiced: true })
    at = place + period
    wasVoiced = true
  }
  return marks
}

function strongest(samples: Float32Array, from: number, to: number): number {
  let best = Math.max(0, Math.round(from))
  for (let i = best; i <= Math.min(samples.length - 1, Math.round(to)); i += 1) {
    if (samples[i]! > samples[best]!) best = i
  }
  return best
}

function frameLookup(frames: readonly PitchFrame[]): (at: number) => number {
  const first = frames[0]
  const second = frames[1]
  if (first === undefined || second === undefined) return () => 0
  const hop = second.center - first.center
  return (at) => {
    const index = Math.round((at - first.center) / hop)
    return frames[Math.max(0, Math.min(frames.length - 1, index))]!.f0
  }
}
