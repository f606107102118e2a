import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { writeTinyTransducer } from '../../../tests/helpers/tiny-recognition-models.ts'
import { ModelStore } from '../../kit/models/model-store.ts'
import { loadSttConfig } from '../config.ts'
import { chooseBackend, readyBackends } from './choose-backend.ts'

let folder: string
let store: ModelStore
beforeEach(async () => {
  folder = await temporaryFolder('backends')
  store = new ModelStore({ cacheFolder: join(folder, 'cache'), hub: 'http://127.0.0.1:9', isOffline: true })
  vi.stubEnv('PATH', join(folder, 'programs'))
})
afterEach(() => vi.unstubAllEnvs())

const config = (env: Record<string, string> = {}) => loadSttConfig({ STT_SHERPA_DIR: folder, ...env })
const open = (env: Record<string, string> = {}) =>
  chooseBackend(config(env), store)(() => undefined, new AbortController().signal)

async function installPocketsphinx(): Promise<void> {
  await mkdir(join(folder, 'programs'))
  await writeFile(join(folder, 'programs', 'pocketsphinx_continuous'), '#!/bin/sh\n')
  await chmod(join(folder, 'programs', 'pocketsphinx_continuous'), 0o755)
}

it('takes fetched weights first, and the installed program where there are none, and names what would be better', async () => {
  await installPocketsphinx()
  const floor = await open()
  expect(floor.recognizer.backend).toBe('pocketsphinx')
  expect(floor.note).toBe('The weights of parakeet-tdt-0.6b-v3 are not here. To fetch them: STT_BACKEND=onnx')
  await writeTinyTransducer(join(folder, 'mine'))
  const env = { STT_MODEL_DIR: join(folder, 'mine') }
  expect(await readyBackends(config(env), store)).toEqual(['onnx', 'pocketsphinx'])
  const { recognizer } = await open({ ...env, STT_DEVICE: 'cpu' })
  expect([recognizer.backend, recognizer.model]).toEqual(['onnx', 'istupakov/parakeet-tdt-0.6b-v3-onnx'])
  await recognizer.close()
})

it('reports that PocketSphinx runs on the processor where another device was asked for', async () => {
  await installPocketsphinx()
  const noteOf = async (env: Record<string, string>) => (await open(env)).note
  const explicit = { STT_BACKEND: 'pocketsphinx' }
  const instead = 'could not be used, so the processor is: PocketSphinx runs on nothing else'
  expect(await noteOf({ ...explicit, STT_DEVICE: 'cuda' })).toBe(`cuda ${instead}`)
  for (const device of ['auto', 'cpu']) expect(await noteOf({ ...explicit, STT_DEVICE: device })).toBeNull()
  const weights = 'The weights of parakeet-tdt-0.6b-v3 are not here. To fetch them: STT_BACKEND=onnx'
  expect(await noteOf({ STT_DEVICE: 'mps' })).toBe(`${weights}. mps ${instead}`)
})

it('without network names the file, the folder, and what would work now', async () => {
  const failure = async (env: Record<string, string>) =>
    open(env).then(String, (error: unknown) => (error as Error).message)
  const alone = await failure({})
  expect(alone).toContain('nemo128.onnx of the model istupakov/parakeet-tdt-0.6b-v3-onnx (CC-BY-4.0)')
  expect(alone).toContain(join(folder, 'cache', 'istupakov', 'parakeet-tdt-0.6b-v3-onnx'))
  expect(alone).toMatch(/No other backend would work here now; on Debian: apt-get install pocketsphinx/)
  await installPocketsphinx()
  for (const backend of ['onnx', 'sherpa'])
    expect(await failure({ STT_BACKEND: backend })).toMatch(/What would work here now: STT_BACKEND=pocketsphinx$/)
})

it('refuses settings that it does not know, all at once', () => {
  expect(() => config({ STT_BACKEND: 'vosk', STT_MODEL: 'big', STT_DEVICE: 'tpu' })).toThrow(
    /STT_BACKEND.*STT_MODEL.*STT_DEVICE/s,
  )
})
