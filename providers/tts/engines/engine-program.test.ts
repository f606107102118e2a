import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { KOKORO_TOKEN_SAMPLES, writeTinyKokoro } from '../../../tests/helpers/tiny-speech-models.ts'
import { processHost, type EngineHost } from './engine-host.ts'
import { EngineProgram } from './engine-program.ts'
import type { KokoroTask } from './kokoro/kokoro-worker.ts'

const WORKER = new URL('./kokoro/kokoro-worker.ts', import.meta.url)

let folder: string
let host: EngineHost
let starts = 0
const program = new EngineProgram<KokoroTask, Float32Array>(() => {
  starts += 1
  return (host = processHost(WORKER))
})
beforeEach(async () => {
  folder = await temporaryFolder('engine-program')
  await Promise.all([writeTinyKokoro(join(folder, 'quick')), writeTinyKokoro(join(folder, 'endless'), { slow: true })])
})
afterEach(() => program.close())

const run = (model: string, signal = new AbortController().signal) =>
  program.run({ folder: join(folder, model), voice: 'af_heart', symbols: 'ə', speed: 1 }, signal)

it('lives through the death of its process in the middle of a run, and through a run that is cancelled', async () => {
  expect(await run('quick')).toHaveLength(3 * KOKORO_TOKEN_SAMPLES)
  const doomed = run('endless')
  const waiting = run('quick')
  // A run begins once those before it have settled.
  await setImmediate()
  await host.end()
  await expect(doomed).rejects.toMatchObject({
    code: 'engine_failed',
    cause: { message: 'the process ended with SIGKILL' },
  })
  expect(await waiting).toHaveLength(3 * KOKORO_TOKEN_SAMPLES)
  const stop = new AbortController()
  const endless = run('endless', stop.signal)
  await setImmediate()
  stop.abort(new Error('enough'))
  await expect(endless).rejects.toThrow('enough')
  expect(await run('quick')).toHaveLength(3 * KOKORO_TOKEN_SAMPLES)
  expect(starts).toBe(3)
})
