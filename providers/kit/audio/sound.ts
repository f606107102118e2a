/** One channel of sound: samples from −1 to 1. */
export interface Sound {
  samples: Float32Array
  sampleRate: number
}

/** Sound as a file gave it. */
export interface DecodedAudio {
  sound: Sound
  /** Container and coding, such as `wav` or `webm-opus`. */
  format: string
  /** Channels of the file, before they were mixed into one. */
  channels: number
}

/** Why bytes gave no audio; the message may be shown to a caller. */
export class AudioError extends Error {
  override readonly name = 'AudioError'
  readonly code: 'audio_empty' | 'audio_undecodable' | 'audio_unsupported' | 'audio_too_long'

  constructor(code: AudioError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Seconds that the sound lasts. */
export function durationSeconds(sound: Sound): number {
  return sound.samples.length / sound.sampleRate
}

/** A mix this much quieter than one of its channels has lost it: two that are turned against each other cancel out. */
const LOST = 0.1

/** The mean of the channels, or the loudest one where they cancel each other out; one channel as it is. */
export function mixToMono(channels: readonly Float32Array[]): Float32Array {
  const first = channels[0]
  if (first === undefined) return new Float32Array(0)
  if (channels.length === 1) return first
  const mixed = new Float32Array(first.length)
  for (const channel of channels) {
    for (let i = 0; i < mixed.length; i += 1) mixed[i]! += (channel[i] ?? 0) / channels.length
  }
  const loudest = channels.reduce((best, channel) => (loudness(channel) > loudness(best) ? channel : best))
  return hasLost(mixed, loudest) ? loudest : mixed
}

/** True where sound that a channel has is not in the mix. */
export const hasLost = (mix: Float32Array, channel: Float32Array): boolean => loudness(mix) < loudness(channel) * LOST

/** Root of the mean square. */
export const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length))

/** The sounds one after the other with silence between; all must have the same rate. */
export function joinSounds(sounds: readonly Sound[], gapSeconds: number): Sound {
  const sampleRate = sounds[0]?.sampleRate ?? 16_000
  const gap = Math.round(gapSeconds * sampleRate)
  const total = sounds.reduce((sum, { samples }) => sum + samples.length, 0) + gap * Math.max(0, sounds.length - 1)
  const samples = new Float32Array(total)
  let at = 0
  for (const sound of sounds) {
    samples.set(sound.samples, at)
    at += sound.samples.length + gap
  }
  return { samples, sampleRate }
}

/** The sound in signed 16-bit steps, clipped at full scale. */
export function toPcm16(samples: Float32Array): Int16Array {
  const pcm = new Int16Array(samples.length)
  for (let i = 0; i < samples.length; i += 1) {
    pcm[i] = Math.round(Math.max(-1, Math.min(32_767 / 32_768, samples[i]!)) * 32_768)
  }
  return pcm
}

/** The sound of signed 16-bit steps. */
export function fromPcm16(pcm: Int16Array): Float32Array {
  return Float32Array.from(pcm, (step) => step / 32_768)
}
