import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { smokeProject, startCli } from '../helpers/cli.ts'

/** A reranker that takes connections and never answers: the platform waits for it when it starts. */
const connections = new Set<Socket>()
const server = createServer((socket) => {
  connections.add(socket)
  socket
    .on('close', () => connections.delete(socket))
    .on('error', () => undefined)
    .resume()
})
let project: string

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
beforeEach(async () => {
  project = await smokeProject()
  return () => rm(project, { recursive: true, force: true })
})
afterAll(() => void server.close())

it.each([
  ['ladder', ['--json', '--no-cold-reset']],
  ['platform', []],
  ['ask', ['When was the lock opened?']],
])('a SIGTERM while the platform of %s starts ends the command and its children', async (command, more) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const cli = startCli([command, ...more, '--project', project, '--dataset', 'smoke'], { RERANKER_URL: url })
  const asked = once(server, 'connection')
  await Promise.race([asked, cli.done.then(({ stderr }) => expect.fail(stderr))])
  cli.child.kill('SIGTERM')
  const { code, stdout, stderr } = await cli.done
  expect(code, stderr).toBe(130)
  expect(stdout + stderr).not.toContain('does not run')
  // The platform's end closes its connection.
  await vi.waitFor(() => expect(connections.size).toBe(0), { timeout: 60_000 })
})

/** From now on the smoke corpus holds a recording, which the platform cannot read without speech to text. */
async function addRecording(): Promise<void> {
  await writeFile(join(project, 'corpus/smoke/note.opus'), 'a recording')
  const file = join(project, 'manifests/datasets/smoke.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('[plain_text]', '[speech, plain_text]'))
}

it.each([
  ['ladder', ['--json', '--no-cold-reset']],
  ['ask', ['When was the lock opened?']],
])('%s fails with the reason of a recognizer that its dataset needs and that does not work', async (command, more) => {
  await addRecording()
  const env = { STT_BACKEND: 'onnx', STT_MODEL_DIR: join(project, 'no-weights') }
  const cli = startCli([command, ...more, '--project', project, '--dataset', 'smoke'], env)
  const { code, stdout, stderr } = await cli.done
  expect(code, stdout + stderr).toBe(5)
  expect(stdout + stderr).toMatch(/stt does not run: .*no-weights/)
})

it('a SIGTERM while weights of the recognizer are fetched ends the command', async () => {
  await addRecording()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { STT_BACKEND: 'onnx', HF_ENDPOINT: url, RAG_LADDER_MODELS_DIR: join(project, 'cache') }
  const cli = startCli(['ladder', '--json', '--no-cold-reset', '--project', project, '--dataset', 'smoke'], env)
  const asked = once(server, 'connection')
  await Promise.race([asked, cli.done.then(({ stderr }) => expect.fail(stderr))])
  cli.child.kill('SIGTERM')
  const { code, stderr } = await cli.done
  expect(code, stderr).toBe(130)
})
