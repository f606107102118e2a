import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createEngine } from '../../main/engine/create-engine.ts'
import { readEngineConfig } from '../../main/engine/engine-config.ts'
import { hostClient, launchEngine, type ControlClient } from '../../main/engine/launch-engine.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { serviceUrl } from '../../contract/control/service-routes.ts'
import { smokeProject } from '../helpers/cli.ts'
import { eventsUntil, TEST_TOKEN } from '../helpers/engine-process.ts'
import { writeSyntheticRun } from '../helpers/synthetic-evidence.ts'
import { atMost, shown, type Figure } from './figure.ts'

/** So many rows are in the results: a rebuild takes seconds. */
const ROWS = 40_000
const MODELS = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'workflow-adaptive-rag']
const REPEATS = 15
/** The smoke set has four questions. */
const CELLS = 4 * MODELS.length * REPEATS

interface Running {
  client: ControlClient
  url: string
  token: string
  stop: () => Promise<unknown>
}

/** An engine as its host starts it: the loop that is measured is the host's. */
async function asChild(root: string): Promise<Running> {
  const engine = launchEngine({ root, port: 0, launcher: createNodeLauncher() })
  const url = await engine.service.start()
  return { client: engine.client(url), url, token: engine.token, stop: () => engine.service.stop() }
}

/** An engine in this very process: the loop that is measured is its own, client's work included. */
async function inProcess(root: string): Promise<Running> {
  const env = { RAG_LADDER_PROJECT: root, RAG_LADDER_ENGINE_TOKEN: TEST_TOKEN }
  const engine = await createEngine(readEngineConfig(env, createNodeLauncher()), (error) => {
    throw error
  })
  const { url } = engine
  return { client: hostClient(url, TEST_TOKEN), url, token: TEST_TOKEN, stop: () => engine.stop() }
}

/** A document of 20 pages with 40 lines each. */
function pdf(): Blob {
  const lines = (page: number): string =>
    Array.from({ length: 40 }, (_, line) => `(Line ${line} of chapter ${page}: the keeper closes the gate.) '`).join(
      '\n',
    )
  const pages = Array.from({ length: 20 }, (_, page) => `BT /F1 11 Tf 14 TL 60 760 Td\n${lines(page + 1)}\nET`)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count 20 /Kids [${pages.map((_, page) => `${4 + 2 * page} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, page) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * page} 0 R >>`,
      `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    ]),
  ]
  let file = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return new Blob([file + table + trailer], { type: 'application/pdf' })
}

/** Converts one document after another until stopped; returns how many. None where this installation has no converter. */
async function convert({ client, url, token }: Running, progress: { isDone: boolean }): Promise<number> {
  const converter = (await client.services.list()).find(({ name }) => name === 'converter')!
  if (converter.state === 'absent') return 0
  const document = pdf()
  let count = 0
  while (!progress.isDone) {
    const form = new FormData()
    form.set('file', document, 'keeper.pdf')
    const target = url + serviceUrl('converter', '/v1/document/convert')
    const answer = await fetch(target, { method: 'POST', body: form, headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(`the conversion failed with ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
    count += 1
  }
  return count
}

async function underLoad(who: string, start: (root: string) => Promise<Running>): Promise<Figure[]> {
  const root = await smokeProject()
  mkdirSync(join(root, 'results'))
  const big = { runId: 'big-2026', datasetId: 'bench', questions: ROWS / 10, aliases: 10, seed: 3 }
  writeSyntheticRun(join(root, 'results/big-2026-bench-evidence.jsonl'), { ...big, answerWords: [2, 70] })
  const running = await start(root)
  const { client } = running
  try {
    // The first look at the results is over, and the converter is up, before anything is measured.
    await client.index.rebuild()
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    await client.runs.start({
      run_id: 'load',
      dataset_ids: ['smoke'],
      models: MODELS,
      repeats: REPEATS,
    })
    const progress = { isDone: false }
    let rebuilds = 0
    const rebuilding = (async () => {
      for (; !progress.isDone; rebuilds += 1) await client.index.rebuild()
    })()
    const converting = convert(running, progress)
    const seen = await eventsUntil(client, { after: 0 }, ({ type }) => type === 'run.finished').finally(
      () => (progress.isDone = true),
    )
    const [conversions] = await Promise.all([converting, rebuilding])
    loop.disable()
    const cells = seen.filter(({ event }) => event.type === 'cell.finished').length
    if (cells !== CELLS || rebuilds === 0) throw new Error(`${cells} cells were made, ${rebuilds} rebuilds`)
    return [
      atMost('P18', `delay of the ${who}'s event loop under load, p99`, loop.percentile(99) / 1e6, 'ms', 50),
      shown('P18', `  its longest delay`, loop.max / 1e6, 'ms'),
      shown('P18', `  meanwhile: cells`, cells, ''),
      shown('P18', `  meanwhile: rebuilds of ${ROWS} rows`, rebuilds, ''),
      shown('P18', `  meanwhile: conversions of 20 pages`, conversions, ''),
    ]
  } finally {
    await running.stop()
    await rm(root, { recursive: true, force: true })
  }
}

/** P18: a run, index rebuilds and, where there is a converter, conversions at once; seen from the host and from the engine itself. */
export async function benchEventLoop(): Promise<Figure[]> {
  return [...(await underLoad('host', asChild)), ...(await underLoad('engine', inProcess))]
}

if (import.meta.main) console.table(await benchEventLoop())
