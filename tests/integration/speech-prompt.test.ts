import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import { openPocketsphinx } from '../../providers/stt/backends/pocketsphinx.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'

const hasPocketsphinx = spawnSync('pocketsphinx_continuous', ['-help']).error === undefined
const DOCUMENT =
  'Brackenjaw is a program that locks files. It was first seen in Oldmere, and Ashledger came after Brackenjaw.'
const QUESTION = 'Which files were locked by Brackenjaw last year?'
const signal = new AbortController().signal

describe.skipIf(!hasPocketsphinx)('a recogniser with a prompt', () => {
  let folder: string
  let sound: Sound
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'speech-prompt-'))
    const engine = new FliteEngine()
    sound = await engine.speak({ text: QUESTION, voice: 'rms', speed: 1 }, signal)
    await engine.close()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('recognises a name that its dictionary does not have, and not without it; what it learned is kept', async () => {
    const recogniser = await openPocketsphinx({ cacheFolder: folder })
    expect(recogniser.usesPrompt).toBe(true)
    const heard = async (prompt: string) =>
      (await recogniser.recognise(sound, signal, { prompt })).map(({ text }) => text)
    expect(await heard('')).not.toContain('brackenjaw')
    expect(await heard(DOCUMENT)).toContain('brackenjaw')
    const kept = await readdir(folder)
    expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(await heard(DOCUMENT)).toContain('brackenjaw')
    expect(await readdir(folder)).toEqual(kept)
  }, 60_000)
})
