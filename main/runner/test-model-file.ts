import { resolve } from 'node:path'
import { z } from 'zod'
import { ModelProbe, type ModelTest } from '../../contract/control/models.ts'
import { moduleFile } from '../lib/module-entry.ts'
import { checkModelFile } from '../manifests/find-models.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'

const ENTRY = moduleFile('../../providers/platform/models/test-gguf', import.meta.url)
const Reply = z.looseObject({ probes: z.array(ModelProbe) })
/** Loading a large file from a slow disk. */
const LOAD_MS = 120_000

interface FileTest {
  root: string
  path: string
  /** For each answer. */
  timeoutS: number
  signal: AbortSignal
}

/** Tests a GGUF file: what it is, and in a process of its own one chat and one answer in JSON. What fails is a result. */
export async function testModelFile(launcher: ProcessLauncher, test: FileTest): Promise<ModelTest> {
  const file = await checkModelFile(test.root, test.path)
  const probes = file.status === 'passed' ? [file, ...(await answers(launcher, test))] : [file]
  return { works: probes.every(({ status }) => status === 'passed'), problems: [], probes, models: [] }
}

async function answers(launcher: ProcessLauncher, { root, path, timeoutS, signal }: FileTest): Promise<ModelProbe[]> {
  const env = { RAG_LADDER_TEST_GGUF: JSON.stringify({ path: resolve(root, path), timeout_s: timeoutS }) }
  const child = launcher.launch({ entry: ENTRY, env, withoutCredentials: true })
  const lines: string[] = []
  child.onLine((line) => lines.push(line))
  const ended = new AbortController()
  const deadline = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(LOAD_MS + timeoutS * 2000)])
  const failed = (error: string): ModelProbe[] => [
    { probe: 'chat', status: 'failed', model: null, latency_ms: null, finding: null, error, remedy: null },
  ]
  try {
    return await new Promise<ModelProbe[]>((done) => {
      child.onMessage((message) => {
        const reply = Reply.safeParse(message)
        if (reply.success) done(reply.data.probes)
      })
      child.onExit((code) => done(failed(`the process of the test ended with ${code}: ${lines.slice(-3).join(' ')}`)))
      deadline.addEventListener('abort', () => done(failed('the test was cancelled or took too long')), { once: true })
    })
  } finally {
    ended.abort()
    child.signalGroup('SIGKILL')
  }
}
