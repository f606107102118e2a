import { readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { VoiceStore } from './voice-store.ts'

const SOUND = { samples: new Float32Array(16_000).fill(0.1), sampleRate: 16_000 }
const details = (name: string) => ({
  name,
  language: 'en',
  originalFilename: 'ana.wav',
  medianF0: 200,
  consent: 'agreed',
  license: null,
  provenance: null,
})

let folder: string
let store: VoiceStore
beforeEach(async () => {
  folder = await temporaryFolder('voice-store')
  store = new VoiceStore(folder)
})

const onlyFolder = async () => join(folder, (await readdir(folder))[0]!)

describe('the store of voices', () => {
  it('is empty before its folder is there', async () => {
    expect(await new VoiceStore(join(folder, 'none')).list()).toEqual([])
    expect(await store.clip('Ana')).toBeNull()
  })

  it('keeps a voice as clip and note and nothing else', async () => {
    await store.add(SOUND, details('Ana'))
    expect((await readdir(await onlyFolder())).sort()).toEqual(['clip.wav', 'voice.json'])
    expect(await new VoiceStore(folder).list()).toMatchObject([{ name: 'Ana', exists: true, seconds: 1 }])
    expect((await store.clip('ANA'))!.sound.samples).toHaveLength(16_000)
  })

  it('does not list what a registration that was cut short left', async () => {
    await store.add(SOUND, details('Ana'))
    await rename(await onlyFolder(), join(folder, '.new-cut-short'))
    expect(await store.list()).toEqual([])
  })

  it('lists a voice whose clip is damaged beside the others, and names what to do when it is asked for', async () => {
    await store.add(SOUND, details('Ana'))
    const damaged = join(await onlyFolder(), 'clip.wav')
    await store.add(SOUND, details('Ben'))
    await truncate(damaged, 20)
    expect(await store.list()).toMatchObject([
      { name: 'Ana', exists: false, seconds: 0 },
      { name: 'Ben', exists: true },
    ])
    await expect(store.clip('Ana')).rejects.toThrow(/'Ana' is missing or damaged.*register it again/)
    await rm(damaged)
    await expect(store.clip('Ana')).rejects.toMatchObject({ status: 409 })
  })

  it('leaves out a voice whose note cannot be read', async () => {
    await store.add(SOUND, details('Ana'))
    await writeFile(join(await onlyFolder(), 'voice.json'), '{"name": "Ana"')
    expect(await store.list()).toEqual([])
    expect(await store.find('Ana')).toBeNull()
  })
})
