import type { Sound } from '../../kit/audio/sound.ts'

const FRAME_SECONDS = 0.02
/** A shorter pause is within a sentence. */
const PAUSE_SECONDS = 0.45
/** Speech is as loud as the loud frames, the room as the quiet ones. */
const SPEECH_QUANTILE = 0.9
const ROOM_QUANTILE = 0.05
/** Frames so much quieter than speech are a pause, */
const PAUSE_BELOW_DB = 30
/** and so are frames that are hardly louder than the room, */
const ABOVE_ROOM_DB = 6
/** where speech is louder than it. */
const LEAST_CONTRAST_DB = 18
/** Shorter parts show too little of the speaker and the room. */
const SHORTEST_PART_SECONDS = 3

/** Bounds of the parts between pauses, in seconds: neighbours meet in the middle of a pause, and the whole sound is covered. */
export function splitAtPauses(sound: Sound): { start: number; end: number }[] {
  const levels = frameLevels(sound)
  const sorted = [...levels].sort((a, b) => a - b)
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const [speech, room] = [quantile(SPEECH_QUANTILE), quantile(ROOM_QUANTILE)]
  const least = speech - room < LEAST_CONTRAST_DB ? -Infinity : Math.max(speech - PAUSE_BELOW_DB, room + ABOVE_ROOM_DB)
  const isPause = (frame: number) => levels[frame]! < least
  const seconds = sound.samples.length / sound.sampleRate
  const parts: { start: number; end: number }[] = []
  let start = 0
  for (let frame = 0; frame < levels.length; frame += 1) {
    if (!isPause(frame)) continue
    const first = frame
    while (frame + 1 < levels.length && isPause(frame + 1)) frame += 1
    const middle = ((first + frame + 1) / 2) * FRAME_SECONDS
    const isLong = (frame + 1 - first) * FRAME_SECONDS >= PAUSE_SECONDS
    if (isLong && middle - start >= SHORTEST_PART_SECONDS && seconds - middle >= SHORTEST_PART_SECONDS) {
      parts.push({ start, end: middle })
      start = middle
    }
  }
  return [...parts, { start, end: seconds }]
}

/** Mean power of each frame, in decibels of full scale. */
function frameLevels({ samples, sampleRate }: Sound): Float64Array {
  const width = Math.round(FRAME_SECONDS * sampleRate)
  return Float64Array.from({ length: Math.floor(samples.length / width) }, (_, frame) => {
    let power = 0
    for (let i = frame * width; i < (frame + 1) * width; i += 1) power += samples[i]! ** 2
    return 10 * Math.log10(Math.max(power / width, 1e-12))
  })
}
