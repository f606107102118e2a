import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { IngestionAccepted, IngestionRecord } from '../../contract/http/ingestion.ts'
import { SERVICE_FLAGS, SERVICE_MEMORY } from '../../main/supervisor/node-launcher.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { shortDocumentQuestions, writeShortDocuments } from '../helpers/short-documents.ts'
import { atMost, median, quantile, shown, type Figure } from './figure.ts'

/** One corpus size, measured from outside on a platform process of its own. */
export interface ScaleRun {
  documents: number
  textMb: number
  ingestS: number
  ingestCpuS: number
  /** Processor time of the graph phases for one document. */
  graphCpuMs: number
  /** Most memory of all processes of the platform together, in MB. */
  peakMb: number
  diskMb: number
  /** Delay of the platform's event loop while it ingests. */
  loopP99Ms: number
  loopLongestMs: number
  /** The same in processor time of its thread. */
  loopLongestCpuMs: number
  /** Latency of its health route in the same time. */
  healthP99Ms: number
  healthLongestMs: number
  lazyMs: number
  graphMs: number
  hybridMs: number
  /** First lazy question, which builds the concept index. */
  firstLazyMs: number
  phases: Record<string, number>
}

const ENTRY = resolve(PROJECT_ROOT, 'providers/platform/index.ts')
const REPORTER = pathToFileURL(join(import.meta.dirname, 'loop-delay-reporter.ts')).href
const TOKEN = 'operator-token-of-the-scale-bench'
const QUESTIONS = 60
const CLOCK_TICKS = 100

interface Platform {
  url: string
  child: ChildProcess
  stateDir: string
}

async function startPlatform(folder: string, documents: number): Promise<Platform> {
  const stateDir = join(folder, 'state')
  const child = fork(ENTRY, {
    env: {
      ...SERVICE_MEMORY,
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PLATFORM_PORT: '0',
      PLATFORM_LOG_LEVEL: 'error',
      RAG_LADDER_STATE_DIR: stateDir,
      RAG_INGESTION_CORPUS_ROOT: join(folder, 'corpus'),
      RAG_INGESTION_MAX_FILES: String(documents + 1),
      RAG_PROFILE: 'smoke',
      BACKEND_INTERNAL_API_TOKEN: TOKEN,
    },
    execArgv: [
      ...SERVICE_FLAGS,
      '--import',
      REPORTER,
      ...(process.env['RAG_LADDER_BENCH_NODE_ARGS']?.split(' ') ?? []),
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [{ url: string }]
  if (typeof message !== 'object') throw new Error(`the platform ended with ${String(message)}`)
  return { url: message.url, child, stateDir }
}

async function call(platform: Platform, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(
    platform.url + path,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}: ${await response.text()}`)
  return response.json()
}

/** The process and its descendants. */
function treeOf(pid: number): number[] {
  const tasks = readdirOrNone(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) =>
    readOrEmpty(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...children.flatMap(treeOf)]
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const residentMb = (pid: number): number =>
  treeOf(pid).reduce(
    (sum, one) => sum + Number(/^VmRSS:\s+(\d+)/m.exec(readOrEmpty(`/proc/${one}/status`))?.[1] ?? 0) / 1024,
    0,
  )

const cpuSeconds = (pid: number): number =>
  treeOf(pid).reduce((sum, one) => {
    const fields = readOrEmpty(`/proc/${one}/stat`).split(') ').at(-1)!.split(' ')
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / CLOCK_TICKS
  }, 0)

const bytesBelow = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

interface LoopDelay {
  p99Ms: number
  longestMs: number
  longestCpuMs: number
}

async function loopDelay(child: ChildProcess): Promise<LoopDelay> {
  child.send({ bench: 'loop-delay' })
  const [answer] = (await once(child, 'message')) as [LoopDelay]
  return answer
}

/** Calls the health route until it is stopped; returns the latencies. */
function watchHealth(platform: Platform): () => Promise<number[]> {
  const latencies: number[] = []
  const stop = new AbortController()
  const done = (async () => {
    while (!stop.signal.aborted) {
      const startMs = performance.now()
      await call(platform, '/health')
      latencies.push(performance.now() - startMs)
      await pause(20)
    }
  })()
  return async () => {
    stop.abort()
    await done
    return latencies
  }
}

async function ask(platform: Platform, model: string, question: string): Promise<number> {
  const startMs = performance.now()
  const messages = [{ role: 'user', content: question }]
  await call(platform, '/v1/chat/completions', { model, messages, cache: { 'no-cache': true, 'no-store': true } })
  return performance.now() - startMs
}

async function askAll(platform: Platform, model: string, documents: number): Promise<{ firstMs: number; ms: number }> {
  const [first, ...rest] = shortDocumentQuestions(documents, QUESTIONS + 1)
  const firstMs = await ask(platform, model, first!)
  const times: number[] = []
  for (const question of rest) times.push(await ask(platform, model, question))
  return { firstMs, ms: median(times) }
}

/** The largest files, for the log. */
function largestFiles(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, mb: statSync(join(entry.parentPath, entry.name)).size / 1e6 }))
    .filter(({ mb }) => mb > 0.1)
    .map(({ name, mb }) => `${name} ${mb.toFixed(1)} MB`)
    .join(', ')
}

/** Describes what a run of vanilla, hybrid and contextual questions needs of an ingestion: no graph. */
export type WithoutGraph = Pick<
  ScaleRun,
  'ingestS' | 'ingestCpuS' | 'peakMb' | 'loopP99Ms' | 'loopLongestMs' | 'loopLongestCpuMs'
>

interface Site {
  folder: string
  textBytes: number
  platform: Platform
  /** Most memory so far, in MB. */
  peakMb: () => number
}

/** Starts a platform beside a corpus of `documents` short documents, and removes both after the work. */
async function withSite<Result>(documents: number, work: (site: Site) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'scale-'))
  const corpus = join(folder, 'corpus', 'smoke')
  await mkdir(corpus, { recursive: true })
  const textBytes = await writeShortDocuments(corpus, documents)
  const platform = await startPlatform(folder, documents)
  const pid = platform.child.pid!
  let peakMb = 0
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid))
  }, 100)
  try {
    return await work({ folder, textBytes, platform, peakMb: () => peakMb })
  } finally {
    clearInterval(sampler)
    const exited = platform.child.exitCode === null ? once(platform.child, 'exit') : null
    if (platform.child.connected) platform.child.disconnect()
    await exited
    await rm(folder, { recursive: true })
  }
}

async function ingest(platform: Platform, graph: boolean) {
  const pid = platform.child.pid!
  await loopDelay(platform.child)
  const health = watchHealth(platform)
  const startMs = performance.now()
  const startCpu = cpuSeconds(pid)
  const accepted = IngestionAccepted.parse(await call(platform, '/api/rag/ingestions', { profile: 'smoke', graph }))
  let graphFrom: number | null = null
  let record: IngestionRecord
  for (;;) {
    record = IngestionRecord.parse(await call(platform, `/api/rag/ingestions/${accepted.ingestion_id}`))
    const uploading = record.phases.find(({ name }) => name === 'graph_upload')?.status !== 'pending'
    if (uploading) graphFrom ??= cpuSeconds(pid)
    if (record.status !== 'pending' && record.status !== 'running') break
    await pause(100)
  }
  const ingestS = (performance.now() - startMs) / 1000
  const endCpu = cpuSeconds(pid)
  const latencies = await health()
  if (record.status !== 'completed') throw new Error(`the ingestion ${record.status}: ${JSON.stringify(record.errors)}`)
  const delay = await loopDelay(platform.child)
  return {
    ingestS,
    ingestCpuS: endCpu - startCpu,
    graphCpuS: endCpu - (graphFrom ?? endCpu),
    loopP99Ms: delay.p99Ms,
    loopLongestMs: delay.longestMs,
    loopLongestCpuMs: delay.longestCpuMs,
    healthP99Ms: quantile(latencies, 0.99),
    healthLongestMs: Math.max(...latencies),
    phases: Object.fromEntries(record.phases.map(({ name, duration_ms: ms }) => [name, (ms ?? 0) / 1000])),
  }
}

/** Ingests `documents` short documents without the phases of the graph. */
const measureWithoutGraph = (documents: number): Promise<WithoutGraph> =>
  withSite(documents, async ({ platform, peakMb }) => ({ ...(await ingest(platform, false)), peakMb: peakMb() }))

/** Ingests `documents` short documents and asks questions about them. */
export const measureScale = (documents: number): Promise<ScaleRun> =>
  withSite(documents, async ({ textBytes, platform, peakMb }) => {
    const { graphCpuS, ...ingested } = await ingest(platform, true)
    console.error(`${documents} documents: ${largestFiles(platform.stateDir)}`)
    const hybrid = await askAll(platform, 'hybrid-rag', documents)
    const graph = await askAll(platform, 'graph-rag', documents)
    const lazy = await askAll(platform, 'lazy-graph-rag', documents)
    return {
      ...ingested,
      documents,
      textMb: textBytes / 1e6,
      graphCpuMs: (graphCpuS * 1000) / documents,
      peakMb: peakMb(),
      diskMb: bytesBelow(platform.stateDir) / 1e6,
      lazyMs: lazy.ms,
      graphMs: graph.ms,
      hybridMs: hybrid.ms,
      firstLazyMs: lazy.firstMs,
    }
  })

/** Sizes of the bench: `RAG_LADDER_BENCH_DOCUMENTS=20000,100000` asks for others. */
const sizes = (): number[] => (process.env['RAG_LADDER_BENCH_DOCUMENTS'] ?? '250,1000,5000').split(',').map(Number)

const REFERENCE = 20_000

/** Limits what an ingestion may take, up to the largest size that is asked for, on two processors. */
const LARGEST = 100_000
const MOST_S = { withoutGraph: 15 * 60, withGraph: 90 * 60 } as const

/** Growing corpora: each size's figures, and their ratios to the smallest. */
export async function benchScale(): Promise<Figure[]> {
  const figures: Figure[] = [shown('P19', 'processors', availableParallelism(), '')]
  let smallest: ScaleRun | null = null
  for (const size of sizes()) {
    figures.push(...figuresWithoutGraph(size, await measureWithoutGraph(size)))
    const run = await measureScale(size)
    smallest ??= run
    figures.push(...figuresOf(run, smallest))
    const phases = Object.entries(run.phases).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`)
    console.error(`${size} documents: ${phases.join(', ')}`)
  }
  return figures
}

function figuresWithoutGraph(documents: number, run: WithoutGraph): Figure[] {
  const of = `${documents.toLocaleString('en')} documents without the graph:`
  return [
    documents <= LARGEST
      ? atMost('P19', `${of} ingestion`, run.ingestS, 's', MOST_S.withoutGraph)
      : shown('P19', `${of} ingestion`, run.ingestS, 's'),
    shown('P19', `${of} processor time`, run.ingestCpuS, 's'),
    shown('P19', `${of} most memory of all processes`, run.peakMb, 'MB'),
    shown('P19', `${of} delay of the event loop, p99`, run.loopP99Ms, 'ms'),
    shown('P19', `${of} longest delay`, run.loopLongestMs, 'ms'),
    shown('P19', `${of} longest delay, processor time`, run.loopLongestCpuMs, 'ms'),
  ]
}

function figuresOf(run: ScaleRun, smallest: ScaleRun): Figure[] {
  const of = `${run.documents.toLocaleString('en')} documents:`
  const cpuMs = (one: ScaleRun): number => (one.ingestCpuS * 1000) / one.documents
  const isReference = run.documents <= REFERENCE
  const bounded = (what: string, value: number, unit: string, limit: number): Figure =>
    isReference ? atMost('P19', `${of} ${what}`, value, unit, limit) : shown('P19', `${of} ${what}`, value, unit)
  return [
    shown('P19', `${of} text`, run.textMb, 'MB'),
    run.documents <= LARGEST
      ? atMost('P19', `${of} ingestion`, run.ingestS, 's', MOST_S.withGraph)
      : shown('P19', `${of} ingestion`, run.ingestS, 's'),
    shown('P19', `${of} processor time`, run.ingestCpuS, 's'),
    shown('P19', `${of} graph phases, processor time of a document`, run.graphCpuMs, 'ms'),
    bounded('processor time of a document over the smallest corpus', cpuMs(run) / cpuMs(smallest), '×', 1.2),
    bounded('most memory of all processes', run.peakMb, 'MB', 600),
    shown('P19', `${of} disk`, run.diskMb, 'MB'),
    bounded('disk over text', run.diskMb / run.textMb, '×', 15),
    bounded('delay of the event loop, p99', run.loopP99Ms, 'ms', 50),
    shown('P19', `${of} longest delay`, run.loopLongestMs, 'ms'),
    shown('P19', `${of} longest delay, processor time`, run.loopLongestCpuMs, 'ms'),
    bounded('health route while it ingests, p99', run.healthP99Ms, 'ms', 50),
    shown('P19', `${of} slowest answer of the health route`, run.healthLongestMs, 'ms'),
    shown('P19', `${of} hybrid question, median`, run.hybridMs, 'ms'),
    shown('P19', `${of} graph question, median`, run.graphMs, 'ms'),
    shown('P19', `${of} lazy question, median`, run.lazyMs, 'ms'),
    bounded('graph question over the smallest corpus', run.graphMs / smallest.graphMs, '×', 3),
    bounded('lazy question over the smallest corpus', run.lazyMs / smallest.lazyMs, '×', 3),
    shown('P19', `${of} first lazy question, which builds the index`, run.firstLazyMs, 'ms'),
  ]
}
