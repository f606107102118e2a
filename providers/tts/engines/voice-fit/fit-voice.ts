import type { Sound } from '../../../kit/audio/sound.ts'
import { medianPitch, trackPitch } from '../../signal/pitch.ts'
import { shiftPitch } from '../../signal/shift-pitch.ts'
import { applyFilter, filterFor, longTermSpectrum } from '../../signal/spectrum.ts'

/** What is taken over from a clip: how high the voice is, and how its energy is spread over the frequencies. */
export interface VoiceTraits {
  medianF0: number
  spectrum: Float64Array
}

/** More than this would amplify noise that the plain voice has no speech in. */
const MAX_GAIN_DB = 24
const PEAK = 0.89

/** The traits of a sound; null when it has no voice. */
export function voiceTraits(sound: Sound): VoiceTraits | null {
  const medianF0 = medianPitch(trackPitch(sound))
  return medianF0 === null ? null : { medianF0, spectrum: longTermSpectrum(sound) }
}

/** The speech with the pitch of the wanted traits; unchanged when it has no voice. */
export function fitPitch(speech: Sound, wanted: VoiceTraits): Sound {
  const frames = trackPitch(speech)
  const own = medianPitch(frames)
  if (own === null) return speech
  const ratio = wanted.medianF0 / own
  const shifted = shiftPitch(speech, frames, ratio)
  // Grains of another length shift the median a little; what is left is taken out once more from the plain speech.
  const reached = medianPitch(trackPitch(shifted)) ?? wanted.medianF0
  const correction = wanted.medianF0 / reached
  if (Math.abs(correction - 1) < 0.01 || Math.abs(correction - 1) > 0.25) return shifted
  return shiftPitch(speech, frames, ratio * correction)
}

/** Filter that turns the long-term spectrum of the speech into the wanted one: what a first filter leaves over, a second pass adds. */
export function envelopeFilter(speech: Sound, wanted: Float64Array): Float32Array {
  let gains = new Float64Array(wanted.length)
  for (let pass = 0; pass < 2; pass += 1) {
    const filtered = pass === 0 ? speech : fitEnvelope(speech, filterFor(gains, speech.sampleRate))
    const reached = longTermSpectrum(filtered)
    gains = gains.map((gain, band) =>
      Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, gain + wanted[band]! - reached[band]!)),
    )
  }
  return filterFor(gains, speech.sampleRate)
}

/** The speech through the filter, as loud as before, turned down where it would clip. */
export function fitEnvelope(speech: Sound, filter: Float32Array): Sound {
  const samples = applyFilter(speech.samples, filter)
  const gain = Math.min(rms(speech.samples) / Math.max(rms(samples), 1e-9), PEAK / Math.max(largest(samples), 1e-9))
  return { samples: samples.map((sample) => sample * gain), sampleRate: speech.sampleRate }
}

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length))
}

function largest(samples: Float32Array): number {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
}
