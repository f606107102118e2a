import { joinSounds } from '../../kit/audio/sound.ts'
import type { Sound } from '../../kit/audio/sound.ts'

const PAUSE_SECONDS = 0.25
const KEPT_SILENCE_SECONDS = 0.05
const FADE_SECONDS = 0.005
const SILENCE = 0.004

/** Spoken sentences as one sound: the engines' own pauses are cut to a common length, and edges fade, so that no join clicks. */
export function joinSpeech(sentences: readonly Sound[]): Sound {
  return joinSounds(sentences.map(trimmed), PAUSE_SECONDS)
}

function trimmed({ samples, sampleRate }: Sound): Sound {
  const kept = Math.round(KEPT_SILENCE_SECONDS * sampleRate)
  const first = samples.findIndex((sample) => Math.abs(sample) > SILENCE)
  const last = samples.findLastIndex((sample) => Math.abs(sample) > SILENCE)
  const cut = first < 0 ? samples.slice(0, kept) : samples.slice(Math.max(0, first - kept), last + 1 + kept)
  const fade = Math.min(Math.round(FADE_SECONDS * sampleRate), cut.length >> 1)
  for (let i = 0; i < fade; i += 1) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / fade)
    cut[i]! *= gain
    cut[cut.length - 1 - i]! *= gain
  }
  return { samples: cut, sampleRate }
}
