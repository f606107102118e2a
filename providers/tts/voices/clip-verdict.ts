import type { ClipFinding, ClipVerdict } from '../../../contract/http/speech.ts'
import { durationSeconds, type Sound } from '../../kit/audio/sound.ts'
import { medianPitch, trackPitch } from '../signal/pitch.ts'

const SHORTEST_SECONDS = 3
const LONGEST_SECONDS = 30
const FRAME_SECONDS = 0.02
const FULL_SCALE = 0.985
const SILENT_BELOW_PEAK_DB = 40

/** Measures a clip and reports whether it can become a voice, with a reason for each fault. Bounds: 3 to 30 s of clean speech. */
export function judgeClip(sound: Sound): ClipVerdict {
  const seconds = durationSeconds(sound)
  const frames = frameLevels(sound)
  const sorted = [...frames].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? -120
  const loud = at(0.95)
  const spoken = frames.filter((level) => level > loud - 25)
  const measured = {
    seconds: round(seconds, 2),
    speech_level_db: round(spoken.length === 0 ? -120 : powerMean(spoken), 1),
    peak_db: round(decibels(peak(sound.samples)), 1),
    clipped_ratio: round(clippedShare(sound.samples), 5),
    silent_ratio: round(
      frames.filter((level) => level < Math.max(-70, loud - SILENT_BELOW_PEAK_DB)).length / Math.max(1, frames.length),
      3,
    ),
    signal_to_noise_db: round(loud - at(0.05), 1),
    median_f0_hz: pitchOf(sound),
  }
  const findings = [...clipFaults(measured)]
  return { ok: !findings.some(({ fatal }) => fatal), findings, ...measured }
}

type Measured = Omit<ClipVerdict, 'ok' | 'findings'>

function* clipFaults(clip: Measured): Iterable<ClipFinding> {
  const fault = (code: string, message: string): ClipFinding => ({ code, message, fatal: true })
  const remark = (code: string, message: string): ClipFinding => ({ code, message, fatal: false })
  if (clip.seconds < SHORTEST_SECONDS) {
    yield fault('too_short', `The clip lasts ${clip.seconds} s; speak for at least ${SHORTEST_SECONDS} s.`)
  }
  if (clip.seconds > LONGEST_SECONDS) {
    yield fault('too_long', `The clip lasts ${clip.seconds} s; cut it to at most ${LONGEST_SECONDS} s.`)
  }
  if (clip.peak_db < -60) {
    yield fault('silent', 'The clip is silent; check the microphone.')
    return
  }
  if (clip.speech_level_db < -40) {
    yield fault(
      'too_quiet',
      `The speech is at ${clip.speech_level_db} dB; come closer or turn the microphone up (above −40 dB).`,
    )
  } else if (clip.speech_level_db < -32) {
    yield remark('quiet', `The speech is at ${clip.speech_level_db} dB; −30 to −12 dB would be better.`)
  }
  if (clip.clipped_ratio > 0.001) {
    yield fault(
      'clipped',
      `${round(clip.clipped_ratio * 100, 2)} % of the samples are at full scale; turn the microphone down.`,
    )
  }
  if (clip.silent_ratio > 0.6) {
    yield fault(
      'mostly_silence',
      `${Math.round(clip.silent_ratio * 100)} % of the clip is silence; trim it or keep speaking.`,
    )
  }
  if (clip.signal_to_noise_db < 12) {
    yield fault(
      'noisy',
      `The speech is only ${clip.signal_to_noise_db} dB above the background; find a quieter place (at least 12 dB).`,
    )
  } else if (clip.signal_to_noise_db < 20) {
    yield remark(
      'some_noise',
      `The speech is ${clip.signal_to_noise_db} dB above the background; 20 dB or more would be better.`,
    )
  }
  if (clip.median_f0_hz === null)
    yield fault('no_voice', 'No voice was found in the clip; record speech, not music or noise.')
}

function pitchOf(sound: Sound): number | null {
  const pitch = medianPitch(trackPitch(sound))
  return pitch === null ? null : round(pitch, 1)
}

function frameLevels({ samples, sampleRate }: Sound): number[] {
  const width = Math.round(FRAME_SECONDS * sampleRate)
  const levels: number[] = []
  for (let start = 0; start + width <= samples.length; start += width) {
    let energy = 0
    for (let i = start; i < start + width; i += 1) energy += samples[i]! ** 2
    levels.push(decibels(Math.sqrt(energy / width)))
  }
  return levels
}

/** Share of samples in runs of three or more at full scale: one loud sample is not clipping. */
function clippedShare(samples: Float32Array): number {
  let clipped = 0
  let run = 0
  for (const sample of samples) {
    run = Math.abs(sample) >= FULL_SCALE ? run + 1 : 0
    if (run === 3) clipped += 3
    else if (run > 3) clipped += 1
  }
  return clipped / Math.max(1, samples.length)
}

function powerMean(levels: readonly number[]): number {
  return 10 * Math.log10(levels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length)
}

function peak(samples: Float32Array): number {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
}

function decibels(amplitude: number): number {
  return 20 * Math.log10(Math.max(amplitude, 1e-6))
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
