import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Recogniser } from '../../providers/stt/backends/recogniser.ts'
import { openPocketsphinx } from '../../providers/stt/backends/pocketsphinx.ts'
import { ENROLMENT_SENTENCES } from '../../providers/stt/speakers/enrolment-sentences.ts'
import { Enrolment } from '../../providers/stt/speakers/enrolment.ts'
import { SpeakerStore } from '../../providers/stt/speakers/speaker-store.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'

const isInstalled = ['pocketsphinx_continuous', 'sphinx_fe', 'sphinxtrain'].every(
  (program) => spawnSync('which', [program]).status === 0,
)
const signal = new AbortController().signal
const VOICE = 'kal16'

describe.skipIf(!isInstalled)('a speaker of the real recogniser', () => {
  const engine = new FliteEngine()
  let folder: string
  let recogniser: Recogniser
  let enrolment: Enrolment
  let store: SpeakerStore
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stt-enrolment-'))
    recogniser = await openPocketsphinx()
    store = new SpeakerStore(folder)
    enrolment = new Enrolment(store, { current: () => recogniser, get: () => recogniser })
  })
  afterAll(async () => {
    await engine.close()
    await rm(folder, { recursive: true })
  })

  const say = (text: string) => engine.speak({ text, voice: VOICE, speed: 1 }, signal)
  const enrol = async (spoken: (i: number) => string) => {
    const { id } = await enrolment.add({ name: VOICE })
    for (const [i, text] of ENROLMENT_SENTENCES.slice(0, 20).entries()) await store.keep(id, text, await say(spoken(i)))
    return id
  }

  it('is recognised better after twenty sentences, and a call that ends leaves no files', async () => {
    const id = await enrol((i) => ENROLMENT_SENTENCES[i]!)
    const stop = new AbortController()
    const doomed = enrolment.fit(id, stop.signal)
    doomed.catch(() => undefined)
    const model = async () => (await readdir(join(folder, id))).find((name) => name.startsWith('model-'))
    // Its counting has begun: the longest of its programs.
    await expect
      .poll(async () => readdir(join(folder, id, (await model()) ?? ''), { recursive: true }))
      .toContainEqual(expect.stringMatching(/counts$/))
    stop.abort(new Error('cancelled by the test'))
    await expect(doomed).rejects.toThrow('cancelled by the test')
    expect((await readdir(join(folder, id))).sort()).toEqual(['sentences', 'speaker.json'])
    const { fit } = await enrolment.fit(id, signal)
    expect(fit).toMatchObject({ sentences: 20, checked_sentences: 4, used: true })
    expect(fit!.errors_after).toBeLessThan(fit!.errors_before)
    const speakerModel = await enrolment.modelOf(id)
    expect((await readdir(speakerModel!)).sort()).toEqual(['means', 'sendump', 'transition_matrices', 'variances'])
  })

  it('whose recordings hold too little for their sentences is not fitted to', async () => {
    const id = await enrol((i) => ENROLMENT_SENTENCES[99 - i]!.split(' ').slice(0, 2).join(' '))
    await expect(enrolment.fit(id, signal)).rejects.toMatchObject({
      status: 409,
      detail: expect.stringMatching(/^Only \d of 16 recordings match their sentences/),
    })
  })
})
