import { execFile } from 'node:child_process'
import { cp, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { CLI_FLAGS } from '../helpers/program.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { startStubGateway, type StubGateway } from '../helpers/stub-gateway.ts'
import { median, type Figure } from './figure.ts'
import { measureProcess, type MeasuredProcess } from './measured-process.ts'

const ALIASES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'lazy-graph-rag']
const CLI = join(PROJECT_ROOT, 'bin/rag-ladder.mjs')

async function project(questions: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-bench-'))
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  const asked = Array.from({ length: questions }, (_, index) => ({ id: `q-${index}`, query: `question ${index}` }))
  await writeFile(
    join(root, 'manifests/datasets/smoke.yaml'),
    JSON.stringify({ version: 1, label: 'Smoke', questions: asked }),
  )
  return root
}

interface MatrixOutput {
  /** Of V8, besides those that every start has. */
  nodeFlags?: string[]
  json?: boolean
  /** Gets each line with the moment it arrived. */
  onLine?: (line: string, atMs: number) => void
}

/** `rag-ladder matrix` over the stub as a whole process, one synced row per cell. Throws when a cell is missing. */
async function runMatrixCommand(
  stub: StubGateway,
  cells: number,
  concurrency: number,
  { nodeFlags = [], ...output }: MatrixOutput = {},
): Promise<MeasuredProcess> {
  const root = await project(Math.ceil(cells / ALIASES.length))
  try {
    const before = stub.calls()
    const options = [
      '--project',
      root,
      '--dataset',
      'smoke',
      '--models',
      ALIASES.join(','),
      '--gateway',
      stub.url,
      '--no-evaluate',
    ]
    const args = [
      ...CLI_FLAGS,
      ...nodeFlags,
      CLI,
      'matrix',
      ...options,
      '--concurrency',
      `${concurrency}`,
      ...(output.json === true ? ['--json'] : []),
    ]
    const result = await measureProcess(process.execPath, args, {}, output.onLine)
    if (result.code !== 0) throw new Error(`matrix ended with ${result.code}:\n${result.output.slice(-2000)}`)
    if (stub.calls() - before !== cells) throw new Error(`${stub.calls() - before} calls for ${cells} cells`)
    return result
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function peer(cells: number): Promise<{ wallS: number; peakMb: number } | null> {
  const script = process.env['RAG_LADDER_PEER_BENCH']
  if (script === undefined) return null
  const { stdout } = await promisify(execFile)(script, [`${cells}`, '8'], {
    env: { ...process.env, NODE: process.execPath },
  })
  return JSON.parse(stdout) as { wallS: number; peakMb: number }
}

/** P1: whole-process time and memory beside a peer's, in one sitting. The peer's command comes from RAG_LADDER_PEER_BENCH. */
async function throughput(stub: StubGateway): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { cells, share, rounds } of [
    { cells: 200, share: 0.2, rounds: 5 },
    { cells: 2000, share: 0.15, rounds: 3 },
  ]) {
    const ours: MeasuredProcess[] = []
    const theirs: { wallS: number; peakMb: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await runMatrixCommand(stub, cells, 8))
      const other = await peer(cells)
      if (other !== null) theirs.push(other)
    }
    const wallS = median(ours.map((run) => run.wallS))
    const peakMb = Math.max(...ours.map((run) => run.peakMb ?? 0))
    figures.push({
      id: 'P1',
      what: `${cells} cells, whole process`,
      value: wallS,
      unit: 's',
      target: 'see ratio',
      met: null,
    })
    figures.push({
      id: 'P1',
      what: `${cells} cells, peak memory`,
      value: peakMb,
      unit: 'MB',
      target: '≤ 200',
      met: peakMb <= 200,
    })
    if (theirs.length === 0) continue
    const ratio = median(ours.map((run, index) => run.wallS / theirs[index]!.wallS))
    figures.push({
      id: 'P1',
      what: `${cells} cells, time over peer's`,
      value: ratio,
      unit: '×',
      target: `≤ ${share}`,
      met: ratio <= share,
    })
    figures.push({
      id: 'P1',
      what: `${cells} cells, peer`,
      value: median(theirs.map((run) => run.wallS)),
      unit: 's',
      target: '',
      met: null,
    })
  }
  return figures
}

/** `… 30.1 (48.0) -> 25.2 (46.0) MB`: what a whole collection left, which is what is really kept. */
const COLLECTED = /Mark-Compact.*? -> ([\d.]+) \(/
const TENTH = /^ *(\d+)\/.* cells of /

/** Describes what a run keeps and what the system has given it, from the first tenth of its cells on. */
interface LongRun extends MeasuredProcess {
  /** MB on the heap after each whole collection. */
  keptMb: number[]
  /** Resident MB. */
  residentMb: number[]
}

async function measureLongRun(stub: StubGateway, cells: number): Promise<LongRun> {
  let tenthAt = Infinity
  const keptMb: number[] = []
  const run = await runMatrixCommand(stub, cells, 8, {
    nodeFlags: ['--trace-gc'],
    onLine(line, atMs) {
      if (TENTH.test(line)) tenthAt = Math.min(tenthAt, atMs)
      const kept = COLLECTED.exec(line)?.[1]
      if (kept !== undefined && atMs >= tenthAt) keptMb.push(Number(kept))
    },
  })
  const residentMb = run.resident.flatMap(({ atMs, mb }) => (atMs >= tenthAt ? [mb] : []))
  return { ...run, keptMb, residentMb }
}

/** Growth between the first and the last fifth of what was measured. */
const growth = (values: readonly number[]): number => {
  const fifth = Math.max(1, Math.floor(values.length / 5))
  return median(values.slice(-fifth)) - median(values.slice(0, fifth))
}

/**
 * P2: memory of a long run, and its growth after the first tenth of its cells. Resident memory grows also by what V8 and the C library
 * took for compiling and collecting and have not given back; what the run itself keeps is what a collection leaves.
 */
async function longRun(stub: StubGateway): Promise<Figure[]> {
  const run = await measureLongRun(stub, 21_420)
  const kept = growth(run.keptMb)
  const late = growth(run.residentMb)
  const peakMb = run.peakMb ?? Number.NaN
  return [
    { id: 'P2', what: '21,420 cells, peak memory', value: peakMb, unit: 'MB', target: '≤ 200', met: peakMb <= 200 },
    {
      id: 'P2',
      what: 'resident growth after the first 2,142 cells',
      value: late,
      unit: 'MB',
      target: '≤ 20',
      met: late <= 20,
    },
    {
      id: 'P2',
      what: 'the same of what is kept, after collections',
      value: kept,
      unit: 'MB',
      target: '≤ 10',
      met: kept <= 10,
    },
    { id: 'P2', what: '21,420 cells, whole process', value: run.wallS, unit: 's', target: '', met: null },
  ]
}

async function bareCallMs(stub: StubGateway): Promise<number> {
  const body = JSON.stringify({ model: 'vanilla-rag', messages: [{ role: 'user', content: 'question' }] })
  const times: number[] = []
  for (let call = 0; call < 500; call += 1) {
    const started = performance.now()
    const response = await request(`${stub.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await response.body.json()
    times.push(performance.now() - started)
  }
  return median(times.slice(100))
}

async function syncMs(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-sync-'))
  const file = await open(join(folder, 'x'), 'a')
  const line = Buffer.alloc(3000, 'x')
  const times: number[] = []
  for (let round = 0; round < 200; round += 1) {
    await file.write(line)
    const started = performance.now()
    await file.datasync()
    times.push(performance.now() - started)
  }
  await file.close()
  await rm(folder, { recursive: true, force: true })
  return median(times)
}

/**
 * P17: what the runner adds to a cell beside the bare call and the sync: one cell at a time, from the end of one to the end of the next. Each
 * is a median, so that neither the first calls nor a pause of the machine counts.
 */
async function overhead(stub: StubGateway): Promise<Figure[]> {
  const ends: number[] = []
  const before = { bare: await bareCallMs(stub), sync: await syncMs() }
  const onLine = (line: string, atMs: number): void => {
    if (line.includes('"cell.finished"')) ends.push(atMs)
  }
  await runMatrixCommand(stub, 1000, 1, { json: true, onLine })
  const [bare, sync] = [median([before.bare, await bareCallMs(stub)]), median([before.sync, await syncMs()])]
  const perCell = median(ends.slice(1).map((end, index) => end - ends[index]!))
  const added = perCell - bare - sync
  return [
    { id: 'P17', what: 'per cell beyond call and sync', value: added, unit: 'ms', target: '≤ 2', met: added <= 2 },
    { id: 'P17', what: 'whole cell p50', value: perCell, unit: 'ms', target: '', met: null },
    { id: 'P17', what: 'bare call p50', value: bare, unit: 'ms', target: '', met: null },
    { id: 'P17', what: 'fdatasync p50', value: sync, unit: 'ms', target: '', met: null },
  ]
}

/** P1, P2 and P17 of the runner. */
export async function benchRunner(): Promise<Figure[]> {
  const stub = await startStubGateway()
  try {
    return [...(await throughput(stub)), ...(await longRun(stub)), ...(await overhead(stub))]
  } finally {
    await stub.close()
  }
}
