import { readdir } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import type { ProcessLauncher } from '../../main/supervisor/process-launcher.ts'
import { SupervisedService } from '../../main/supervisor/supervised-service.ts'
import type { ServiceState } from '../../main/supervisor/service-state.ts'
import { programFile } from '../helpers/program.ts'

const ENTRY = programFile('providers/tts/main.ts')

let folder: string
let service: SupervisedService
let pid = 0
let exitCodes: (number | null)[] = []
beforeEach(async () => {
  exitCodes = []
  folder = await temporaryFolder('speech')
})
afterEach(async () => {
  await service.stop()
})

/** The launcher of the command line, whose children the test can kill. */
const tapped: ProcessLauncher = {
  launch(spec) {
    const child = createNodeLauncher().launch(spec)
    pid = child.pid ?? 0
    child.onExit((code) => exitCodes.push(code))
    return child
  },
}

async function start(env: Record<string, string> = {}): Promise<string> {
  service = new SupervisedService(
    {
      name: 'tts',
      launch: { entry: ENTRY, env: { PORT: '0', RAG_LADDER_STATE_DIR: folder, TTS_LOG_LEVEL: 'error', ...env } },
      probe: async (url, signal) => (await fetch(`${url}/health`, { signal })).ok,
    },
    tapped,
  )
  return service.start()
}

const reached = (name: ServiceState['name']): Promise<ServiceState> =>
  new Promise((done) => {
    const off = service.onState((state) => {
      if (state.name !== name) return
      off()
      done(state)
    })
  })

const speak = (url: string, input: string) =>
  fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, voice: 'rms' }),
  })

const LONG = 'The committee reviewed twelve proposals for the old harbour and kept none of them. '.repeat(240)

describe('text to speech under its supervisor', () => {
  it('yields the processor to the programs that a caller waits for', async () => {
    await start()
    expect(getPriority(pid)).toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  })

  it('answers 504 past its deadline, ends with 70 and comes back to work', async () => {
    const url = await start({ TTS_INFERENCE_TIMEOUT_SECONDS: '1' })
    const left = reached('backoff')
    const answer = await speak(url, LONG)
    expect([answer.status, await answer.json()]).toEqual([504, { detail: 'Provider operation timed out' }])
    await Promise.race([left, reached('starting')])
    expect(exitCodes).toEqual([70])
    await service.whenReady()
    expect((await fetch(`${service.url!}/health`)).status).toBe(200)
  })

  it('killed in the middle of a synthesis, it restarts and speaks; no partial file is left', async () => {
    const url = await start()
    const first = await speak(url, 'Ready.')
    expect(first.status).toBe(200)
    const doomed = speak(url, LONG).then(
      (answer) => answer.status,
      () => 'cut',
    )
    const back = reached('ready')
    await expect.poll(async () => (await speak(url, 'Busy?')).status).toBe(429)
    process.kill(pid, 'SIGKILL')
    expect(await doomed).toBe('cut')
    await back
    const again = await speak(service.url!, 'Back again.')
    expect([again.status, (await again.arrayBuffer()).byteLength > 10_000]).toEqual([200, true])
    expect(await readdir(folder)).toEqual([])
  })
})
