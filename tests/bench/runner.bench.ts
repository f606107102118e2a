import { execFile } from 'node:child_process'
import { cp, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { startStubGateway, type StubGateway } from '../helpers/stub-gateway.ts'
import { median, type Figure } from './figure.ts'
import { measureProcess, type MeasuredProcess } from './measured-process.ts'

const ALIASES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'lazy-graph-rag']
/** As `npm run rag-ladder` starts it. */
const NODE_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20']
const CLI = join(PROJECT_ROOT, 'bin/rag-ladder.mjs')

async function project(questions: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-bench-'))
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  const queries = Array.from({ length: questions }, (_, index) => ({ id: `q-${index}`, query: `question ${index}` }))
  await writeFile(
    join(root, 'manifests/queries/smoke.yaml'),
    JSON.stringify({ version: 1, dataset_id: 'smoke', queries }),
  )
  return root
}

/** `rag-ladder matrix` over the stub as a whole process, one synced row per cell. Throws when a cell is missing. */
async function runMatrixCommand(
  stub: StubGateway,
  cells: number,
  concurrency: number,
  onLine?: (line: string, atMs: number) => void,
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
      ...NODE_FLAGS,
      CLI,
      'matrix',
      ...options,
      '--concurrency',
      `${concurrency}`,
      ...(onLine === undefined ? [] : ['--json']),
    ]
    const result = await measureProcess(process.execPath, args, {}, onLine)
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
    { cells: 200, share: 0.5, rounds: 5 },
    { cells: 2000, share: 0.25, rounds: 3 },
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

/** P2: memory of a long run, and its growth after the first tenth. */
async function longRun(stub: StubGateway): Promise<Figure[]> {
  const run = await runMatrixCommand(stub, 21_420, 8)
  const samples = run.residentMb
  const early = median(samples.slice(Math.floor(samples.length * 0.1), Math.floor(samples.length * 0.2)))
  const late = median(samples.slice(Math.floor(samples.length * 0.9)))
  const peakMb = run.peakMb ?? Number.NaN
  return [
    { id: 'P2', what: '21,420 cells, peak memory', value: peakMb, unit: 'MB', target: '≤ 200', met: peakMb <= 200 },
    {
      id: 'P2',
      what: 'growth from the first tenth to the last',
      value: late - early,
      unit: 'MB',
      target: '≤ 20',
      met: late - early <= 20,
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
  await runMatrixCommand(stub, 1000, 1, (line, atMs) => {
    if (line.includes('"cell.finished"')) ends.push(atMs)
  })
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
