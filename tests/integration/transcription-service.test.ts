import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { probeHealth } from '../../main/engine/services/local-service.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import type { ProcessLauncher } from '../../main/supervisor/process-launcher.ts'
import { SupervisedService } from '../../main/supervisor/supervised-service.ts'
import { encodeWav } from '../../providers/kit/audio/wav-file.ts'
import { programFile } from '../helpers/program.ts'
import { TINY_PIECES, tinySpeech, writeTinyTransducer } from '../helpers/tiny-recognition-models.ts'

const ENTRY = programFile('providers/stt/main.ts')

let folder: string
let service: SupervisedService
let exitCodes: (number | null)[] = []
beforeEach(async () => {
  exitCodes = []
  folder = await temporaryFolder('transcription-service')
  await writeTinyTransducer(join(folder, 'model'), { isSlow: true })
})
afterEach(async () => {
  await service.stop()
})

const tapped: ProcessLauncher = {
  launch(spec) {
    const child = createNodeLauncher().launch(spec)
    child.onExit((code) => exitCodes.push(code))
    return child
  },
}

async function start(env: Record<string, string>): Promise<string> {
  service = new SupervisedService(
    {
      name: 'stt',
      launch: {
        entry: ENTRY,
        env: {
          STT_PORT: '0',
          STT_API_TOKEN: 't',
          STT_LOG_LEVEL: 'error',
          STT_BACKEND: 'onnx',
          STT_MODEL_DIR: join(folder, 'model'),
          ...env,
        },
      },
      probe: (url, signal) => probeHealth(`${url}/health`, signal),
    },
    tapped,
  )
  return service.start()
}

async function transcribe(url: string, parts: Parameters<typeof tinySpeech>[0]) {
  const form = new FormData()
  const wav = encodeWav({ samples: tinySpeech(parts), sampleRate: 16_000 })
  form.append('file', new Blob([Uint8Array.from(wav)]), 'said.wav')
  form.append('word_timestamps', 'true')
  const headers = { authorization: 'Bearer t' }
  const answer = await fetch(`${url}/v1/audio/transcriptions/advanced`, { method: 'POST', body: form, headers })
  return { status: answer.status, body: await answer.json() }
}

it('a transcription past its deadline ends in 504, exit 70 and a service that works again', async () => {
  // The deadline holds for the short sound too, for which a busy machine has needed more than a second; the long one takes about 15.
  const url = await start({ STT_INFERENCE_TIMEOUT_SECONDS: '3' })
  const [salt, sea] = TINY_PIECES as [string, string]
  const short = [
    [salt, 2],
    [sea, 2],
  ] as const
  const expected = {
    status: 200,
    body: {
      text: 'salt sea',
      has_timestamps: true,
      words: [
        { text: 'salt', start: 0, end: 0.08, duration: 0.08 },
        { text: 'sea', start: 0.16, end: 0.24, duration: 0.08 },
      ],
    },
  }
  expect(await transcribe(url, short)).toEqual(expected)
  const left = new Promise<void>((done) => {
    const off = service.onState(({ name }) => {
      if (name !== 'backoff' && name !== 'starting') return
      off()
      done()
    })
  })
  expect(await transcribe(url, [[salt, 6000]])).toEqual({
    status: 504,
    body: { detail: 'Provider operation timed out' },
  })
  await left
  expect(exitCodes).toEqual([70])
  await service.whenReady()
  expect(await transcribe(service.url!, short)).toEqual(expected)
})

it('without weights fails the start within seconds, and states what to do', async () => {
  await rm(join(folder, 'model'), { recursive: true })
  await expect(start({})).rejects.toThrow(/^stt does not run: (?!.*answered 503)/)
})
