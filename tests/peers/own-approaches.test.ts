import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { httpGraphTargetClient } from '../../providers/platform/specified/compatibility/lightrag/client.ts'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { startLightragModel, type LightragModel } from './lightrag-model.ts'
import { startLightragServer } from './lightrag-server.ts'
import { pythonPeer } from './python-peer.ts'
import type { RunningPeer } from './running-peer.ts'

// Own approaches that are programs of others: a real LightRAG server as `chat` and as `retriever`, LlamaIndex as `command`, and one that misbehaves.

const light = await pythonPeer('lightrag')
/** LightRAG counts tokens by tables that it downloads; the other package has them inside. */
const tables = await pythonPeer('litellm')
const llama = await pythonPeer('llamaindex')
const reason = light.reason ?? tables.reason ?? llama.reason
if (reason !== null) console.log(`○ ${reason}`)
beforeEach(({ skip }) => skip(reason !== null, reason ?? ''))

const KEY = 'key-of-the-server'

/** Of four questions it lets the first wait for ever, floods at the second, answers the third for another id, and answers the last; a question that is repeated is treated alike. */
const HOSTILE = `
import { createInterface } from 'node:readline'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
const file = new URL('./asked.txt', import.meta.url)
for await (const line of createInterface({ input: process.stdin })) {
  const { id, question } = JSON.parse(line)
  const asked = existsSync(file) ? readFileSync(file, 'utf8').split('\\n') : []
  if (!asked.includes(question)) appendFileSync(file, question + '\\n')
  const turn = asked.includes(question) ? asked.indexOf(question) : Math.max(0, asked.length - 1)
  if (turn === 0) continue
  if (turn === 1) { for (let at = 0; at < 5000; at += 1) console.log('{"id":"none"}'); continue }
  console.log(JSON.stringify({ id: turn === 2 ? 'another' : id, answer: 'An answer.', contexts: [] }))
}
`

let root = ''
let user: Record<string, string>
let model: LightragModel | undefined
let server: RunningPeer | undefined

beforeAll(async () => {
  if (light.bin === null || tables.bin === null || llama.bin === null) return
  root = await smokeProject()
  user = { RAG_LADDER_USER_DIR: join(root, 'person'), LIGHT_KEY: KEY }
  model = await startLightragModel()
  const programs = { bin: light.bin, tables: tables.bin }
  server = await startLightragServer({ ...programs, root, model: model.url, key: KEY })
  const client = httpGraphTargetClient(server.url, KEY, { pollMs: 100 })
  const { signal } = new AbortController()
  const folder = join(root, 'corpus/smoke')
  for (const id of await readdir(folder)) {
    const text = await readFile(join(folder, id), 'utf8')
    const { trackId } = await client.upload({ id, title: id, text }, signal)
    await client.drain([trackId], Date.now() + 120_000, signal)
  }
  await mkdir(join(root, 'approaches'))
  await copyFile(join(PROJECT_ROOT, 'docs/examples/own-llamaindex.py'), join(root, 'approaches/llama.py'))
  await writeFile(join(root, 'approaches/hostile.mjs'), HOSTILE)
  const headers = { 'x-api-key': '${LIGHT_KEY}' }
  const declared = {
    light: { kind: 'chat', preset: 'lightrag', url: server.url, headers },
    'light-data': { kind: 'retriever', preset: 'lightrag-data', url: server.url, headers },
    llama: { kind: 'command', command: [join(llama.bin, 'python'), 'approaches/llama.py'], ingest: true },
    hostile: { kind: 'command', command: ['node', 'approaches/hostile.mjs'], timeout_s: 2 },
  }
  for (const [name, approach] of Object.entries(declared)) {
    const file = join(root, `approaches/${name}.yaml`)
    await writeFile(file, stringify({ version: 1, ...approach }))
    expect((await runCli(['trust', file], user)).code).toBe(0)
  }
}, 300_000)
afterAll(async () => {
  await server?.stop()
  await model?.close()
  if (root !== '') await rm(root, { recursive: true, force: true })
})

it('run beside the others, survive a kill, and one that misbehaves costs its own answers alone', async () => {
  const models = 'bm25,vanilla-rag,hybrid-rag,light,light-data,llama,hostile'
  const options = ['--run-id', 'own', '--no-evaluate', '--no-publish', '--project', root]
  const args = ['ladder', '--dataset', 'smoke', '--models', models, ...options]
  const file = join(root, 'results/own-smoke-evidence.jsonl')
  const running = startCli(args, user)
  const count = async (): Promise<number> => (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1
  while ((await count()) < 10) await pause(20)
  running.child.kill('SIGKILL')
  await running.done
  const { stdout } = await runCli([...args, '--no-cold-reset'], user)
  expect(stdout).toContain('hostile failed 3 of 4 answers')
  const rows = await rowsOf(file)
  const of = (name: string) => rows.filter(({ approach }) => approach.model === name)
  for (const name of ['bm25', 'vanilla-rag', 'hybrid-rag', 'light', 'light-data', 'llama'])
    expect([name, of(name).map(({ error }) => error?.message ?? null)]).toEqual([name, [null, null, null, null]])
  for (const name of ['light', 'light-data', 'llama'])
    expect(of(name).every(({ evidence }) => evidence!.contexts.length > 0)).toBe(true)
  expect(of('hostile').filter(({ error }) => error !== null)).toHaveLength(3)
  expect(rows).toHaveLength(28)
}, 400_000)
