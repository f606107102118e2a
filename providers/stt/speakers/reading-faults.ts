import { durationSeconds } from '../../kit/audio/sound.ts'
import type { Sound } from '../../kit/audio/sound.ts'

/** Nobody reads faster than about eight words a second, or takes two seconds for each. */
const SHORTEST_WORD_SECONDS = 0.12
const LONGEST_WORD_SECONDS = 2
const PAUSES_SECONDS = 6
const SILENT_BELOW = 10 ** (-45 / 20)
const FULL_SCALE = 0.985
const MOST_CLIPPED = 0.002

/** Why a recording is not that many words read aloud; null when nothing speaks against it. */
export function readingFault(sound: Sound, words: number): string | null {
  const seconds = durationSeconds(sound)
  const peak = sound.samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  if (peak < SILENT_BELOW) return 'The recording is silent; check the microphone.'
  const clipped = sound.samples.reduce((count, sample) => count + (Math.abs(sample) >= FULL_SCALE ? 1 : 0), 0)
  if (clipped > MOST_CLIPPED * sound.samples.length)
    return 'The recording is too loud: samples are at full scale. Turn the microphone down.'
  const counted = `${words} word${words === 1 ? '' : 's'}`
  const lasted = `The recording lasts ${seconds.toFixed(1)} s`
  if (seconds < words * SHORTEST_WORD_SECONDS)
    return `${lasted}, which is too short for ${counted}; read the whole sentence.`
  if (seconds > PAUSES_SECONDS + words * LONGEST_WORD_SECONDS)
    return `${lasted}, which is too long for ${counted}; read only the sentence.`
  return null
}
