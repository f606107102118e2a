// A real LightRAG server as `chat` and as `retriever`, and LlamaIndex as a program, beside all built-in approaches over one whole dataset. It takes minutes and is no test: docs/peers.md has
// what it printed.
//   node tests/peers/lightrag-rung.ts [DATASET [CHUNK_TOKENS]]
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { DECLARABLE_APPROACHES, KEYWORD_BASELINE } from '../../contract/approaches.ts'
import { httpGraphTargetClient } from '../../providers/platform/specified/compatibility/lightrag/client.ts'
import { runCliProcess, smokeProject } from '../helpers/cli.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { startLightragModel } from './lightrag-model.ts'
import { startLightragServer } from './lightrag-server.ts'
import { pythonPeer } from './python-peer.ts'

const KEY = 'key-of-the-server'
const UPLOADS_AT_ONCE = 4
const DRAIN_MS = 1_800_000

const [dataset = 'graph_native', chunk] = process.argv.slice(2)
const manifest = await readFile(join(PROJECT_ROOT, `manifests/datasets/${dataset}.yaml`), 'utf8')
const documents = /^documents: (\S+)$/m.exec(manifest)![1]!
const [light, tables, llama] = [
  await pythonPeer('lightrag'),
  await pythonPeer('litellm'),
  await pythonPeer('llamaindex'),
]
if (light.bin === null || tables.bin === null || llama.bin === null)
  throw new Error(light.reason ?? tables.reason ?? llama.reason ?? '')

const root = await smokeProject(dataset)
const user = { RAG_LADDER_USER_DIR: join(root, 'person'), LIGHT_KEY: KEY }
const model = await startLightragModel()
const server = await startLightragServer({
  bin: light.bin,
  tables: tables.bin,
  root,
  model: model.url,
  key: KEY,
  ...(chunk === undefined
    ? {}
    : { env: { CHUNK_SIZE: chunk, CHUNK_OVERLAP_SIZE: String(Math.round(Number(chunk) / 8)) } }),
})
try {
  const folder = join(root, documents)
  await cp(join(PROJECT_ROOT, documents), folder, { recursive: true })
  await ingest(folder)
  await mkdir(join(root, 'approaches'))
  await copyFile(join(PROJECT_ROOT, 'docs/examples/own-llamaindex.py'), join(root, 'approaches/llama.py'))
  const headers = { 'x-api-key': '${LIGHT_KEY}' }
  const declared = {
    light: { kind: 'chat', preset: 'lightrag', url: server.url, headers },
    'light-data': { kind: 'retriever', preset: 'lightrag-data', url: server.url, headers },
    llama: { kind: 'command', command: [join(llama.bin, 'python'), 'approaches/llama.py'], ingest: true },
  }
  for (const [name, approach] of Object.entries(declared)) {
    const file = join(root, `approaches/${name}.yaml`)
    await writeFile(file, stringify({ version: 1, ...approach }))
    const { code, stderr } = await runCliProcess(['trust', file], user)
    if (code !== 0) throw new Error(stderr)
  }
  const started = performance.now()
  const options = ['--run-id', 'light', '--no-evaluate', '--no-publish', '--project', root]
  const models = [KEYWORD_BASELINE, ...DECLARABLE_APPROACHES, 'light', 'light-data', 'llama'].join(',')
  const { code, stdout, stderr } = await runCliProcess(
    ['ladder', '--dataset', dataset, '--models', models, ...options],
    user,
  )
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(stdout, stderr, JSON.stringify({ code, seconds, calls: model.calls }))
  const report = await runCliProcess(['report', '--run-id', 'light', '--project', root], user)
  console.log(report.stdout, report.stderr)
} finally {
  await server.stop()
  await model.close()
  if (process.env['KEEP'] === undefined) await rm(root, { recursive: true, force: true })
  else console.log(root)
}

/** Gives the server all files of the dataset and waits until their graph is built. */
async function ingest(folder: string): Promise<void> {
  const client = httpGraphTargetClient(server.url, KEY, { pollMs: 500 })
  const { signal } = new AbortController()
  const started = performance.now()
  const names = (await readdir(folder)).toSorted()
  const trackIds: string[] = []
  for (let at = 0; at < names.length; at += UPLOADS_AT_ONCE)
    trackIds.push(
      ...(await Promise.all(
        names.slice(at, at + UPLOADS_AT_ONCE).map(async (id) => {
          const text = await readFile(join(folder, id), 'utf8')
          return (await client.upload({ id, title: id, text }, signal)).trackId
        }),
      )),
    )
  const { processed, failed } = await client.drain(trackIds, Date.now() + DRAIN_MS, signal)
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(JSON.stringify({ documents: names.length, processed, failed, seconds, calls: model.calls }))
}
