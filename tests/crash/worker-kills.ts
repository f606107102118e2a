import { spawn, type ChildProcess } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { CLI_FLAGS, programFile } from '../helpers/program.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { randomFrom } from '../helpers/random.ts'
import { startStubGateway, type StubGateway } from '../helpers/stub-gateway.ts'
import { RunObserver } from './run-observer.ts'

// A run whose rows are in a database, made by several processes while these are killed at random, compared with the same run on one host.

export const ALIASES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'lazy-graph-rag']
export const CLI = programFile('bin/rag-ladder.mjs')
const ARTIFACTS = ['evidence.jsonl', 'evaluation.json', 'matrix.json'] as const
/** Matches what two runs of the same cells cannot have in common. */
const TIMING = /(?:_ms|_at|seconds|latency.*|duration.*)$/

export interface WorkerProject {
  root: string
  gateway: StubGateway
  cells: number
  close(): Promise<void>
}

/** A project of `cells` cells, a multiple of 4, and a gateway that answers each after `latencyMs` and after `hold`, always with the same answer. */
export async function workerProject(
  cells: number,
  latencyMs: number,
  hold?: () => Promise<unknown>,
): Promise<WorkerProject> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-workers-'))
  for (const folder of ['manifests', 'corpus/smoke'])
    await cp(join(PROJECT_ROOT, folder), join(root, folder), { recursive: true })
  const questions = Array.from({ length: cells / ALIASES.length }, (_, index) => ({
    id: `q-${index}`,
    query: `question ${index}`,
  }))
  const manifest = { version: 1, label: 'Smoke', questions }
  await writeFile(join(root, 'manifests/datasets/smoke.yaml'), JSON.stringify(manifest))
  const gateway = await startStubGateway({ latencyMs, sameAnswers: true, ...(hold === undefined ? {} : { hold }) })
  return {
    root,
    gateway,
    cells,
    async close() {
      await gateway.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

export interface Worker {
  child: ChildProcess
  ended: Promise<{ code: number | null; output: string }>
}

export interface WorkerOptions {
  project: WorkerProject
  /** Null keeps the rows in files. */
  database: string | null
  results: string
  concurrency: number
  /** Address of a platform beside the gateway; none unless given. */
  platform?: string
}

/** Starts a process of the run `shared`; `matrix` starts the run and sums it up, as `ladder` does after an ingestion; `worker` helps. */
export function startProcess(
  command: 'matrix' | 'ladder' | 'worker',
  { project, database, results, concurrency, platform }: WorkerOptions,
): Worker {
  const args = ['--project', project.root, '--dataset', 'smoke', '--models', ALIASES.join(','), '--run-id', 'shared']
  const options = ['--gateway', project.gateway.url, '--no-evaluate', '--results', results, '--json']
  if (platform !== undefined) options.push('--platform', platform)
  if (command === 'ladder') options.push('--no-publish', '--no-cold-reset')
  const child = spawn(
    process.execPath,
    [...CLI_FLAGS, CLI, command, ...args, ...options, '--concurrency', String(concurrency)],
    {
      env: { ...process.env, NO_COLOR: '1', ...(database === null ? {} : { MATRIX_EVIDENCE_URL: database }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (output = `${output}${part.toString()}`.slice(-4000)))
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, output }))) }
}

/** Runs one process to its end. Throws unless it ends with 0. */
export async function runProcess(command: 'matrix' | 'ladder' | 'worker', options: WorkerOptions): Promise<void> {
  const { code, output } = await startProcess(command, options).ended
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`)
}

/** The artifacts of a results folder without timings: rows by their id, and summary and matrix. */
export async function artifactsOf(project: WorkerProject, results: string): Promise<unknown[]> {
  const texts = await Promise.all(
    ARTIFACTS.map((name) => readFile(join(project.root, results, `shared-smoke-${name}`), 'utf8')),
  )
  const parse = (text: string): unknown =>
    JSON.parse(text, (key, value: unknown) => {
      // A look at the result has the time of the summary.
      if (TIMING.test(key) || key === 'checksum' || key === 'looks') return undefined
      return Array.isArray(value) ? value.filter((item) => !isOfTiming(item)) : value
    })
  const [rows, ...others] = texts as [string, string, string]
  const byId = rows
    .trim()
    .split('\n')
    .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  return [byId.map(parse), ...others.map(parse)]
}

/** The comparison of approaches by a timing, beside those by other metrics. */
const isOfTiming = (item: unknown): boolean =>
  typeof item === 'object' && item !== null && 'metric' in item && TIMING.test(String(item.metric))

const idOf = (line: string): string => /"row_id":"(\w+)"/.exec(line)![1]!

export interface WorkerKillReport {
  kills: number
  /** Kills of processes of PostgreSQL itself: the server then ends all connections and recovers from its log. */
  serverKills: number
  rows: number
  calls: number
  /** Calls that a killed process had under way, made again by another. */
  repeatedCalls: number
  /** Rows that were reported as stored. */
  acknowledged: number
  problems: string[]
  wallS: number
}

interface WorkerKills {
  workers: number
  kills: number
  /** Counts killed processes of PostgreSQL besides; 0 unless given. */
  serverKills?: number
  concurrency: number
  seed: number
}

/** Kills processes of a run, each at a moment that the rows choose, and starts them again. */
export async function runWorkerKills(
  project: WorkerProject,
  database: string,
  { workers, kills, serverKills = 0, concurrency, seed }: WorkerKills,
): Promise<WorkerKillReport> {
  const random = randomFrom(seed)
  const problems: string[] = []
  const options = { project, database, results: 'shared-results', concurrency }
  const server = new RunObserver(database)
  const startedAt = performance.now()
  const before = project.gateway.calls()
  const killed = new WeakSet<ChildProcess>()
  const running = new Set<Worker>()
  const acknowledged = new Set<string>()
  let isOver = false
  const start = (command: 'matrix' | 'worker'): void => {
    const worker = startProcess(command, options)
    running.add(worker)
    onRowStored(worker.child, (rowId) => {
      if (acknowledged.has(rowId)) problems.push(`${rowId} was reported as stored twice: it had been lost`)
      acknowledged.add(rowId)
    })
    void worker.ended.then(({ code, output }) => {
      running.delete(worker)
      if (killed.has(worker.child)) {
        if (!isOver) start(command)
      } else if (code !== 0) problems.push(`${command} ended with ${code}:\n${output}`)
    })
  }
  try {
    start('matrix')
    for (let number = 1; number < workers; number += 1) start('worker')
    const all = kills + serverKills
    const ofServer = shuffled([...Array<boolean>(kills).fill(false), ...Array<boolean>(serverKills).fill(true)], random)
    for (const [index, isServer] of ofServer.entries()) {
      await server.rowsReach(Math.floor((project.cells * (index + 1)) / (all + 1)), running)
      if (isServer) await server.killBackend(random)
      else {
        const victim = await workingOne(server, running, random)
        killed.add(victim.child)
        victim.child.kill('SIGKILL')
        await victim.ended
      }
    }
    await Promise.all([...running].map(({ ended }) => ended))
    isOver = true
    // Whoever sums up may have been the last one killed.
    await runProcess('matrix', options)
    const calls = project.gateway.calls() - before
    const ids = (await server.query<{ row_id: string }>('SELECT row_id FROM rag_ladder.rows')).map((row) => row.row_id)
    const cells = new Set(ids)
    if (ids.length !== project.cells || cells.size !== ids.length)
      problems.push(`${ids.length} rows of ${cells.size} cells for ${project.cells}`)
    for (const rowId of acknowledged) if (!cells.has(rowId)) problems.push(`${rowId} was reported as stored and is not`)
    const repeatedCalls = calls - project.cells
    // A server that recovers ends the claims of everyone.
    if (repeatedCalls > (kills + serverKills * workers) * concurrency)
      problems.push(`${calls} calls for ${project.cells} cells and ${kills} kills of ${concurrency} in flight`)
    const wallS = (performance.now() - startedAt) / 1000
    const counts = { kills, serverKills, rows: ids.length, calls, repeatedCalls, acknowledged: acknowledged.size }
    return { ...counts, problems, wallS }
  } catch (error) {
    throw new Error([(error as Error).message, ...problems].join('\n'), { cause: error })
  } finally {
    isOver = true
    for (const { child } of running) {
      killed.add(child)
      child.kill('SIGKILL')
    }
    await server.close()
  }
}

/** Calls `onStored` with the id of each row that a process reports as stored. */
export function onRowStored(child: ChildProcess, onStored: (rowId: string) => void): void {
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (!line.includes('"cell.finished"')) return
    const event = JSON.parse(line) as { type: string; row_id: string; reused: boolean }
    if (!event.reused) onStored(event.row_id)
  })
}

export function shuffled<Item>(items: Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Only a process that works: one that starts would be an easy victim. */
async function workingOne(server: RunObserver, running: ReadonlySet<Worker>, random: () => number): Promise<Worker> {
  for (;;) {
    const pids = await server.workingPids()
    const victims = [...running].filter(({ child }) => pids.includes(child.pid!))
    const victim = victims[Math.floor(random() * victims.length)]
    if (victim !== undefined) return victim
    if (running.size === 0) throw new Error('every process ended before the last kill')
    await delay(5)
  }
}
