import { spawn, type ChildProcess } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { programFile } from '../helpers/program.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { randomFrom } from '../helpers/random.ts'
import { startStubGateway, type StubGateway } from '../helpers/stub-gateway.ts'

// A run whose rows are in a database, made by several processes while these are killed at random, compared with the same run on one host.

export const ALIASES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'lazy-graph-rag']
export const CLI = programFile('bin/rag-ladder.mjs')
/** As `npm run rag-ladder` starts it. */
export const NODE_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20']
const ARTIFACTS = ['evidence.jsonl', 'evaluation.json', 'matrix.json'] as const
/** Matches what two runs of the same cells cannot have in common. */
const TIMING = /(?:_ms|_at|seconds|latency.*|duration.*)$/

export interface WorkerProject {
  root: string
  gateway: StubGateway
  cells: number
  close(): Promise<void>
}

/** A project of `cells` cells, a multiple of 4, and a gateway that answers each after `latencyMs`, always with the same answer. */
export async function workerProject(cells: number, latencyMs: number): Promise<WorkerProject> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-workers-'))
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  const questions = Array.from({ length: cells / ALIASES.length }, (_, index) => ({
    id: `q-${index}`,
    query: `question ${index}`,
  }))
  const manifest = { version: 1, label: 'Smoke', questions }
  await writeFile(join(root, 'manifests/datasets/smoke.yaml'), JSON.stringify(manifest))
  const gateway = await startStubGateway({ latencyMs, sameAnswers: true })
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
}

/** Starts a process of the run `shared`; `matrix` starts the run and sums it up, `worker` helps. */
export function startProcess(
  command: 'matrix' | 'worker',
  { project, database, results, concurrency }: WorkerOptions,
): Worker {
  const args = ['--project', project.root, '--dataset', 'smoke', '--models', ALIASES.join(','), '--run-id', 'shared']
  const options = ['--gateway', project.gateway.url, '--no-evaluate', '--results', results, '--json']
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, CLI, command, ...args, ...options, '--concurrency', String(concurrency)],
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
export async function runProcess(command: 'matrix' | 'worker', options: WorkerOptions): Promise<void> {
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
  rows: number
  calls: number
  /** Calls that a killed process had under way, made again by another. */
  repeatedCalls: number
  problems: string[]
  wallS: number
}

/** A process that is killed at a moment that the rows choose, with everything that it printed before. */
export async function runWorkerKills(
  project: WorkerProject,
  database: string,
  { workers, kills, concurrency, seed }: { workers: number; kills: number; concurrency: number; seed: number },
): Promise<WorkerKillReport> {
  const random = randomFrom(seed)
  const problems: string[] = []
  const options = { project, database, results: 'shared-results', concurrency }
  const client = new pg.Client({ connectionString: database })
  // A test that ends early ends the server too.
  client.on('error', () => undefined)
  await client.connect()
  const startedAt = performance.now()
  const before = project.gateway.calls()
  const killed = new WeakSet<ChildProcess>()
  const running = new Set<Worker>()
  let isOver = false
  const start = (command: 'matrix' | 'worker'): void => {
    const worker = startProcess(command, options)
    running.add(worker)
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
    for (let kill = 1; kill <= kills; kill += 1) {
      await rowsReach(client, Math.floor((project.cells * kill) / (kills + 1)), running)
      // Only a process that works: one that starts would be an easy victim.
      const pids = await workingPids(client)
      const victims = [...running].filter(({ child }) => pids.includes(child.pid!))
      const victim = victims[Math.floor(random() * victims.length)]
      if (victim === undefined) {
        kill -= 1
        await delay(5)
        continue
      }
      killed.add(victim.child)
      victim.child.kill('SIGKILL')
      await victim.ended
    }
    await Promise.all([...running].map(({ ended }) => ended))
    isOver = true
    // Whoever sums up may have been the last one killed.
    await runProcess('matrix', options)
    const calls = project.gateway.calls() - before
    const { rows } = await client.query<{ rows: string; cells: string }>(
      'SELECT count(*) AS rows, count(DISTINCT row_id) AS cells FROM rag_ladder.rows',
    )
    const stored = Number(rows[0]!.rows)
    if (stored !== project.cells || Number(rows[0]!.cells) !== stored)
      problems.push(`${stored} rows of ${rows[0]!.cells} cells for ${project.cells}`)
    if (calls - project.cells > kills * concurrency)
      problems.push(`${calls} calls for ${project.cells} cells and ${kills} kills of ${concurrency} in flight`)
    const wallS = (performance.now() - startedAt) / 1000
    return { kills, rows: stored, calls, repeatedCalls: calls - project.cells, problems, wallS }
  } finally {
    isOver = true
    for (const { child } of running) {
      killed.add(child)
      child.kill('SIGKILL')
    }
    await client.end()
  }
}

async function rowCount(client: pg.Client): Promise<number> {
  const found = await client.query<{ found: string | null }>("SELECT to_regclass('rag_ladder.workers')::text AS found")
  if (found.rows[0]!.found === null) return -1
  return Number((await client.query<{ rows: string }>('SELECT count(*) AS rows FROM rag_ladder.rows')).rows[0]!.rows)
}

async function rowsReach(client: pg.Client, wanted: number, running: ReadonlySet<Worker>): Promise<void> {
  while ((await rowCount(client)) < wanted) {
    if (running.size === 0) throw new Error(`every process ended before ${wanted} rows were stored`)
    await delay(5)
  }
}

/** The processes that hold a claim now. */
async function workingPids(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT DISTINCT w.pid FROM rag_ladder.workers w JOIN pg_locks l ON l.pid = w.backend_pid AND l.locktype = 'advisory' AND l.objsubid = 1`,
  )
  return rows.map(({ pid }) => pid)
}
