/**
 * `npm run prove:soak -- --minutes 20`: the product as it lives for weeks, in little. One engine with its services is asked, changed, ingested,
 * converted with, spoken with and browsed without a pause, and its handles, memory, disk and event loops are watched. Prints a table of
 * measured values and budgets; the exit code is 1 when one is over its budget. Needs /proc.
 */
import { mkdirSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { answerHelp } from '../../build/answer-help.ts'
import { serviceUrl } from '../../contract/control/service-routes.ts'
import { launchEngine, type ControlClient } from '../../main/engine/launch-engine.ts'
import { filesBelow } from '../../main/lib/files/files-below.ts'
import { createPlatformClient } from '../../main/runner/platform/platform-client.ts'
import { embeddedStateDir, platformKeys } from '../../main/runner/platform/platform-source.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { findOnPath } from '../../build/e2e/find-program.ts'
import { smokeProject } from '../helpers/cli.ts'
import type { LoopDelay } from './report-delay.ts'

const SAMPLE_MS = 2000
/** Levels are compared from here on, as share of the time: caches fill and heaps grow before it. */
const WARM_SHARE = 0.25
const BUDGET = { handlesGrowth: 8, memoryGrowthMb: 40, diskGrowthMb: 60, loopP99Ms: 50, answerMs: 1000 }

/** One line of the table; no budget: only shown. */
export interface SoakFigure {
  what: string
  value: number
  unit: string
  budget: number | null
}

export interface SoakReport {
  figures: SoakFigure[]
  /** States how often each kind of work was done. */
  done: Record<string, number>
  restarts: number
}

interface Sample {
  handles: number
  mb: number
}

async function sampleOf(pid: number): Promise<Sample | null> {
  const [handles, status] = await Promise.all([
    readdir(`/proc/${pid}/fd`).catch(() => null),
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
  ])
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  return handles === null || kb === undefined ? null : { handles: handles.length, mb: Number(kb) / 1024 }
}

const TICKS_PER_S = 100

/** Processor time of all threads of a process so far; NaN once it has ended. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in brackets, may have spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000) / TICKS_PER_S
}

async function bytesIn(folder: string): Promise<number> {
  const files = await filesBelow(folder).catch((): string[] => [])
  const sizes = files.map(async (file) => (await stat(join(folder, file)).catch(() => null))?.size ?? 0)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Level of the last third less that of the first third. */
function growth(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  return median(values.slice(-third)) - median(values.slice(0, third))
}

const QUESTION = 'When was the lock opened?'
const ASKED = ['vanilla-rag', 'hybrid-rag', 'graph-rag', 'lazy-graph-rag', 'agentic-rag']
const SENTENCE = 'The ferry Marigold runs from Tidewater Quay since 2001, and Agnes Tolland commands it. '

/** A page of text as PDF; the reader finds its objects without a table of their places. */
const page = (text: string): Blob => {
  const content = `BT /F 11 Tf 20 700 Td (${text}) Tj ET`
  return new Blob([
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n' +
      `4 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj\n` +
      '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n',
  ])
}

/** Runs for so many minutes; throws when work fails. */
export async function soak(minutes: number, progress: (line: string) => void = () => undefined): Promise<SoakReport> {
  const root = await smokeProject()
  const delays = await mkdtemp(join(tmpdir(), 'rag-ladder-soak-'))
  mkdirSync(join(root, 'results'))
  const reporter = pathToFileURL(join(import.meta.dirname, 'report-delay.ts')).href
  const before = { ...process.env }
  Object.assign(process.env, {
    SOAK_DELAYS: delays,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${reporter}`,
    PLATFORM_PORT: '0',
    DOCCONV_PORT: '0',
    TTSVOICE_LOCALHOST_PORT: '0',
    STT_PORT: '0',
  })
  const engine = launchEngine({ root, port: 0, launcher: createNodeLauncher() })
  try {
    const url = await engine.service.start()
    return await underWork({ root, delays, url, token: engine.token, client: engine.client(url), minutes, progress })
  } finally {
    await engine.service.stop()
    for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name)
    Object.assign(process.env, before)
    await Promise.all([root, delays].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

interface Soaked {
  root: string
  delays: string
  url: string
  token: string
  client: ControlClient
  minutes: number
  progress: (line: string) => void
}

async function underWork({ root, delays, url, token, client, minutes, progress }: Soaked): Promise<SoakReport> {
  const authorization = { authorization: `Bearer ${token}` }
  const post = async (service: Parameters<typeof serviceUrl>[0], path: string, body: FormData | object) => {
    const isForm = body instanceof FormData
    const answer = await fetch(url + serviceUrl(service, path), {
      method: 'POST',
      headers: { ...authorization, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (!answer.ok) throw new Error(`${service} ${path} answered ${answer.status}: ${bytes.toString().slice(0, 300)}`)
    return bytes
  }

  await client.services.start({ name: 'platform', dataset_id: 'smoke' })
  const stateRoot = join(root, '.rag-ladder')
  const keys = await platformKeys(stateRoot, {})
  const platformUrl = await untilReady(client)
  const platform = createPlatformClient({
    url: platformUrl,
    apiKey: keys.gatewayKey,
    operatorToken: keys.operatorToken,
  })

  const done: Record<string, number> = {}
  const longestMs: Record<string, number> = {}
  const mostProcessorMs: Record<string, number> = {}
  const { pid: platformPid } = (await client.services.list()).find(({ name }) => name === 'platform')!
  const isOver = { now: false }
  const repeat = async (kind: string, pauseMs: number, work: (round: number) => Promise<unknown>): Promise<void> => {
    for (let round = 0; !isOver.now; round += 1) {
      await work(round)
      done[kind] = (done[kind] ?? 0) + 1
      await delay(pauseMs)
    }
  }
  const ingest = async (): Promise<void> => {
    const { ingestion_id: id } = await platform.submitIngestion('smoke', { graph: true })
    for (;;) {
      const { status, ...rest } = await platform.ingestion(id)
      if (status === 'completed') return
      if (status === 'failed' || status === 'cancelled')
        throw new Error(`the ingestion ${status}: ${JSON.stringify(rest)}`)
      await delay(200)
    }
  }
  await ingest()
  // Spoken before the other utterances, because the service speaks one at a time.
  const recording = await post('tts', '/v1/audio/speech', { input: SENTENCE, voice: 'slt', response_format: 'wav' })
  const transcribe = async (): Promise<void> => {
    const form = new FormData()
    form.set('file', new Blob([Uint8Array.from(recording)]), 'ferry.wav')
    await post('stt', '/v1/audio/transcriptions', form)
  }

  const untilMs = performance.now() + minutes * 60_000
  const warmMs = performance.now() + minutes * 60_000 * WARM_SHARE
  const corpus = join(root, 'corpus/smoke')
  const longBytes = minutes < 2 ? 200_000 : 5_000_000
  const works = [
    repeat('questions', 50, async (round) => {
      const [started, usedMs] = [performance.now(), await processorMs(platformPid!)]
      const model = ASKED[round % ASKED.length]!
      await post('platform', '/v1/chat/completions', {
        model,
        messages: [{ role: 'user', content: `${QUESTION} ${round}` }],
      })
      const [tookMs, ownMs] = [performance.now() - started, (await processorMs(platformPid!)) - usedMs]
      if (performance.now() < warmMs) return
      longestMs[model] = Math.max(longestMs[model] ?? 0, tookMs)
      mostProcessorMs[model] = Math.max(mostProcessorMs[model] ?? 0, ownMs)
    }),
    repeat('ingestions', 500, async (round) => {
      // One long text, early: what it leaves must be gone from the level. A document that changes during an ingestion would fail it.
      if (round === 1)
        await writeFile(join(corpus, 'long.txt'), SENTENCE.repeat(Math.ceil(longBytes / SENTENCE.length)))
      await writeFile(join(corpus, 'ferry.md'), `# Ferry ${round}\n\n${SENTENCE}Crossing ${round} was on time.\n`)
      await ingest()
    }),
    repeat('conversions', 200, async (round) => {
      const form = new FormData()
      form.set('file', page(`Page ${round}: the keeper closes the gate.`), `${round}.pdf`)
      await post('converter', '/v1/document/convert', form)
    }),
    repeat('utterances', 200, (round) => post('tts', '/v1/audio/speech', { input: `Number ${round}.`, voice: 'slt' })),
    ...(findOnPath(['pocketsphinx_continuous']) === null ? [] : [repeat('transcripts', 2000, transcribe)]),
    repeat('pages', 100, async () => {
      await Promise.all([client.services.list(), client.runs.list({}), client.experiment.get(), client.system.status()])
    }),
  ]
  const failed = Promise.all(works).then(() => undefined)
  failed.catch(() => (isOver.now = true))

  const samples = new Map<string, Sample[]>()
  const disk: number[] = []
  const state = embeddedStateDir(stateRoot, 'smoke')
  while (performance.now() < untilMs && !isOver.now) {
    await delay(SAMPLE_MS)
    if (performance.now() < warmMs) continue
    for (const [name, pid] of await processes(client)) {
      const sample = await sampleOf(pid)
      if (sample !== null) samples.set(name, [...(samples.get(name) ?? []), sample])
    }
    disk.push((await bytesIn(state)) / 1024 ** 2)
    const left = Math.round((untilMs - performance.now()) / 1000)
    progress(
      `${left} s left: ${Object.entries(done)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(', ')}`,
    )
  }
  const loops = new Map<string, LoopDelay>()
  for (const [name, pid] of await processes(client)) {
    const text = await readFile(join(delays, `${pid}.json`), 'utf8').catch(() => null)
    if (text !== null) loops.set(name, JSON.parse(text) as LoopDelay)
  }
  isOver.now = true
  await failed
  await platform.close()

  const figures: SoakFigure[] = []
  const add = (what: string, value: number, unit: string, budget: number | null = null): void =>
    void figures.push({ what, value: Math.round(value * 10) / 10, unit, budget })
  for (const [name, taken] of samples) {
    add(`${name}: handles`, median(taken.map(({ handles }) => handles)), '')
    add(`${name}: handles gained`, growth(taken.map(({ handles }) => handles)), '', BUDGET.handlesGrowth)
    add(`${name}: memory`, median(taken.map(({ mb }) => mb)), 'MB')
    add(`${name}: memory gained`, growth(taken.map(({ mb }) => mb)), 'MB', BUDGET.memoryGrowthMb)
    const loop = loops.get(name)
    if (loop === undefined) continue
    add(`${name}: event loop, p99`, loop.p99Ms, 'ms', BUDGET.loopP99Ms)
    // By the clock other programs of the machine count too.
    add(`${name}: event loop, p99 by processor time`, loop.p99CpuMs, 'ms')
    add(`${name}: event loop, longest`, loop.longestMs, 'ms')
    add(`${name}: event loop, longest by processor time`, loop.longestCpuMs, 'ms')
  }
  add('state folder', median(disk), 'MB')
  add('state folder gained', growth(disk), 'MB', BUDGET.diskGrowthMb)
  for (const [model, ms] of Object.entries(longestMs)) add(`longest answer of ${model}`, ms, 'ms', BUDGET.answerMs)
  // With all that the platform did meanwhile, its ingestion included: what an answer takes at most where it has a processor for itself.
  for (const [model, ms] of Object.entries(mostProcessorMs)) add(`the same of ${model} by processor time`, ms, 'ms')
  const restarts = (await client.services.list()).reduce((sum, service) => sum + service.restarts, 0)
  return { figures, done, restarts }
}

async function untilReady(client: ControlClient): Promise<string> {
  for (;;) {
    const platform = (await client.services.list()).find(({ name }) => name === 'platform')!
    if (platform.state === 'ready' && platform.url !== null) return platform.url
    if (platform.state === 'failed') throw new Error(`the platform does not start: ${platform.detail}`)
    await delay(200)
  }
}

async function processes(client: ControlClient): Promise<[name: string, pid: number][]> {
  const [status, services] = await Promise.all([client.system.status(), client.services.list()])
  return [
    ['engine', status.pid],
    ...services.flatMap(({ name, pid }): [string, number][] => (pid === null ? [] : [[name, pid]])),
  ]
}

if (import.meta.main) {
  answerHelp(
    'npm run prove:soak -- [--minutes N]: lives with the product for N minutes (20) and prints measured values beside their budgets',
  )
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } })
  const { figures, done, restarts } = await soak(Number(values.minutes), (line) => process.stderr.write(`\r${line}  `))
  process.stderr.write('\n')
  const isOver = ({ value, budget }: SoakFigure): boolean => budget !== null && !(value <= budget)
  for (const figure of figures) {
    const { what, value, unit, budget } = figure
    const limit =
      budget === null ? '' : `at most ${budget}${unit === '' ? '' : ` ${unit}`}  ${isOver(figure) ? 'OVER' : 'ok'}`
    console.log(`${what.padEnd(48)} ${`${value} ${unit}`.padStart(12)}   ${limit}`)
  }
  console.log(
    `done: ${Object.entries(done)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ')}; ${restarts} restarts`,
  )
  if (restarts > 0 || figures.some(isOver)) process.exitCode = 1
}
