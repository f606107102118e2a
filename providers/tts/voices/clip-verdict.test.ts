import { expect, it } from 'vitest'
import { randomFrom } from '../../../tests/helpers/random.ts'
import { judgeClip } from './clip-verdict.ts'

const RATE = 16_000
interface Clip {
  seconds?: number
  level?: number
  hiss?: number
  /** Share of each second that is spoken. */
  spoken?: number
  hertz?: number
}

/** A buzz with pauses over steady hiss: as much like speech as the verdict looks at. */
function clip({ seconds = 5, level = 0.3, hiss = 0.0005, spoken = 0.7, hertz = 140 }: Clip) {
  const random = randomFrom(3)
  const samples = Float32Array.from({ length: Math.round(seconds * RATE) }, (_, i) => {
    const voice = (i / RATE) % 1 < spoken ? level * (1 - 2 * (((i * hertz) / RATE) % 1)) : 0
    return Math.max(-1, Math.min(1, voice + hiss * 2 * (random() - 0.5)))
  })
  return { samples, sampleRate: RATE }
}

it('takes clean speech of the right length as it is', () => {
  expect(judgeClip(clip({}))).toMatchObject({ ok: true, findings: [], seconds: 5, clipped_ratio: 0 })
  for (const seconds of [3, 30]) expect(judgeClip(clip({ seconds })).findings).toEqual([])
})

it.each([
  ['too_short', { seconds: 2.9 }, /lasts 2\.9 s; speak for at least 3 s/],
  ['too_long', { seconds: 30.5 }, /lasts 30\.5 s; cut it to at most 30 s/],
  ['silent', { level: 0, hiss: 0.0001 }, /silent; check the microphone/],
  ['too_quiet', { level: 0.01, hiss: 0.0001 }, /come closer or turn the microphone up/],
  ['clipped', { level: 1.6 }, /at full scale; turn the microphone down/],
  ['mostly_silence', { spoken: 0.25 }, /of the clip is silence; trim it/],
  ['noisy', { hiss: 0.25 }, /above the background; find a quieter place/],
  ['no_voice', { level: 0, hiss: 0.3 }, /record speech, not music or noise/],
] satisfies [string, Clip, RegExp][])('refuses a clip that is %s, and states what to do', (code, what, message) => {
  const { ok, findings } = judgeClip(clip(what))
  expect(ok).toBe(false)
  expect(findings.find((finding) => finding.code === code)).toEqual({
    code,
    message: expect.stringMatching(message),
    fatal: true,
  })
})

it.each([
  ['quiet', { level: 0.03, hiss: 0.0001 }],
  ['some_noise', { hiss: 0.04 }],
] satisfies [string, Clip][])('only remarks that a clip is %s', (code, what) => {
  const { ok, findings } = judgeClip(clip(what))
  expect([ok, findings.map((finding) => [finding.code, finding.fatal])]).toEqual([true, [[code, false]]])
})
