import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { startEngine, type EngineProcess } from '../helpers/engine-process.ts'
import { randomFrom } from '../helpers/random.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'
import { RunObserver } from './run-observer.ts'
import {
  ALIASES,
  onRowStored,
  runProcess,
  shuffled,
  startProcess,
  type Worker,
  workerProject,
  type WorkerProject,
} from './worker-kills.ts'

// One run whose rows are in a database, made at once by an engine that serves the panel, by one to three runners and by two workers, while all of these
// and processes of PostgreSQL are killed in random order.

const KINDS = ['runner', 'worker', 'engine', 'postgres'] as const
type Kind = (typeof KINDS)[number]

export interface MixedKillReport {
  seed: number
  kills: Record<Kind, number>
  rows: number
  /** Rows that a process reported as stored, to its output or to the panel. */
  acknowledged: number
  calls: number
  /** Calls that a kill found under way, made again. */
  repeatedCalls: number
  /** Empty where nothing was lost, made twice or damaged. */
  problems: string[]
  wallS: number
}

const RUN = 'shared'
const WORKERS = 2
const MOST_RUNNERS = 3
const IN_FLIGHT = 2
const LATENCY_MS = 20

/** Holds the answers of a gateway, so that cells are left for a process that has yet to start. */
export class Gate {
  #open: (() => void) | null = null
  #held: Promise<unknown> = Promise.resolve()

  close(): void {
    if (this.#open === null) this.#held = new Promise<void>((open) => (this.#open = open))
  }

  open(): void {
    this.#open?.()
    this.#open = null
  }

  readonly passed = async (): Promise<void> => {
    await this.#held
  }
}

/** A project for `runMixedKills`, whose gateway answers while the gate is open. */
export const mixedProject = (cells: number, gate: Gate): Promise<WorkerProject> =>
  workerProject(cells, LATENCY_MS, gate.passed)

/** Draws the kinds that so many kills hit: every kind is hit, runners and workers more often. */
function kindsOf(kills: number, random: () => number): Kind[] {
  const cycle: readonly Kind[] = ['runner', 'worker', 'postgres', 'engine', 'runner', 'worker', 'postgres']
  return shuffled(
    Array.from({ length: kills }, (_, index) => cycle[index % cycle.length]!),
    random,
  )
}

/** Kills `kills` processes of one run and starts them again. The project is one of `mixedProject` with the same gate. */
export async function runMixedKills(
  project: WorkerProject,
  { database, gate, kills, seed }: { database: string; gate: Gate; kills: number; seed: number },
): Promise<MixedKillReport> {
  const startedAt = performance.now()
  const run = new MixedRun(project, { database, gate, random: randomFrom(seed) })
  const before = project.gateway.calls()
  const observer = new RunObserver(database)
  const counts: Record<Kind, number> = { runner: 0, worker: 0, engine: 0, postgres: 0 }
  try {
    await run.begin()
    for (const [index, kind] of kindsOf(kills, run.random).entries()) {
      gate.open()
      await observer.rowsReach(Math.floor((project.cells * (index + 1)) / (kills + 1)), run.running)
      gate.close()
      if (kind === 'postgres') await observer.killBackend(run.random)
      else await run.kill(kind, observer)
      counts[kind] += 1
    }
    gate.open()
    await run.finish()
    const ids = (await observer.query<{ row_id: string }>('SELECT row_id FROM rag_ladder.rows')).map(
      (row) => row.row_id,
    )
    const calls = project.gateway.calls() - before
    const repeatedCalls = calls - project.cells
    // A server that recovers ends the claims of every process.
    const all = MOST_RUNNERS + WORKERS + 1
    if (repeatedCalls > (kills - counts.postgres + counts.postgres * all) * IN_FLIGHT)
      run.problems.push(`${calls} calls for ${project.cells} cells and ${kills} kills of ${IN_FLIGHT} in flight`)
    run.problems.push(...(await problemsOf(ids, run.acknowledged, project)))
    const wallS = (performance.now() - startedAt) / 1000
    const { acknowledged, problems } = run
    return {
      seed,
      kills: counts,
      rows: ids.length,
      acknowledged: acknowledged.size,
      calls,
      repeatedCalls,
      problems,
      wallS,
    }
  } catch (error) {
    throw new Error([`seed ${seed}: ${(error as Error).message}`, ...run.problems].join('\n'), { cause: error })
  } finally {
    await run.close()
    await observer.close()
  }
}

/** Lists faults of the database and of the logs that the engine and the runners wrote from it. */
async function problemsOf(
  ids: readonly string[],
  acknowledged: ReadonlySet<string>,
  { root, cells }: WorkerProject,
): Promise<string[]> {
  const stored = new Set(ids)
  const problems = [...acknowledged]
    .filter((id) => !stored.has(id))
    .map((id) => `${id} was reported as stored and is not`)
  if (ids.length !== cells || stored.size !== cells)
    problems.push(`${ids.length} rows of ${stored.size} cells for ${cells}`)
  for (const folder of ['shared-results', 'results']) {
    const log = join(root, folder, `${RUN}-smoke-evidence.jsonl`)
    if (!existsSync(log)) {
      problems.push(`${folder} has no log of the run`)
      continue
    }
    const verified = await verifyEvidence(log)
    problems.push(...verified.problems.map(({ message }) => message))
    if (verified.rows !== cells) problems.push(`the log in ${folder} has ${verified.rows} rows for ${cells} cells`)
  }
  return problems
}

/** The processes of the run. */
class MixedRun {
  readonly random: () => number
  readonly problems: string[] = []
  readonly acknowledged = new Set<string>()
  readonly running = new Set<Worker>()
  readonly #project: WorkerProject
  readonly #database: string
  readonly #gate: Gate
  readonly #kinds = new Map<Worker, 'runner' | 'worker'>()
  readonly #killed = new Set<Worker>()
  #engine: EngineProcess | null = null
  /** Takes the documents of the run, which the engine ingests before it asks; the project's gateway answers. */
  #platform: SpecifiedPlatform | null = null
  #watching: Promise<void> = Promise.resolve()

  constructor(
    project: WorkerProject,
    { database, gate, random }: { database: string; gate: Gate; random: () => number },
  ) {
    this.#project = project
    this.#database = database
    this.#gate = gate
    this.random = random
  }

  /** Some die while their calls are under way, most while the answers that were held arrive and their rows are written. */
  async #atRandomMoment(): Promise<void> {
    if (this.random() < 0.7) this.#gate.open()
    await delay(LATENCY_MS + this.random() * 80)
  }

  async begin(): Promise<void> {
    this.#platform = await startSpecifiedPlatform({ aliases: ALIASES })
    await this.#startEngine()
    await this.#engine!.client.runs.start({
      run_id: RUN,
      dataset_ids: ['smoke'],
      models: [...ALIASES],
      metrics: [],
      concurrency: IN_FLIGHT,
    })
    this.#start('runner')
    for (let number = 0; number < WORKERS; number += 1) this.#start('worker')
  }

  /** Kills a process of the kind that holds a cell now, and starts it again; of runners one to three go on. */
  async kill(kind: Exclude<Kind, 'postgres'>, observer: RunObserver): Promise<void> {
    if (kind === 'engine') {
      await this.#engineWorks(observer)
      await this.#atRandomMoment()
      await this.#engine!.kill()
      // Its start takes seconds, in which the others would make all cells that are left.
      this.#gate.close()
      await this.#watching
      await this.#startEngine()
      await this.#resume()
      return
    }
    const victim = await this.#workingOne(kind, observer)
    await this.#atRandomMoment()
    this.#killed.add(victim)
    victim.child.kill('SIGKILL')
    await victim.ended
    if (kind === 'worker') this.#start('worker')
    else {
      const wanted = 1 + Math.floor(this.random() * MOST_RUNNERS)
      do this.#start('runner')
      while (this.#runners() < wanted)
    }
  }

  async finish(): Promise<void> {
    await Promise.all([...this.running].map(({ ended }) => ended))
    for (let tries = 0; (await this.#stateInEngine()) !== 'completed'; tries += 1) {
      if (tries > 600) throw new Error(`the run in the engine is ${await this.#stateInEngine()}`)
      await delay(200)
    }
    // The one that sums up may have been the last one killed.
    await runProcess('ladder', this.#options())
  }

  async close(): Promise<void> {
    for (const worker of this.running) {
      this.#killed.add(worker)
      worker.child.kill('SIGKILL')
    }
    await this.#engine?.stop()
    await this.#platform?.close()
  }

  #runners(): number {
    return [...this.running].filter((worker) => this.#kinds.get(worker) === 'runner').length
  }

  #options() {
    return {
      project: this.#project,
      database: this.#database,
      results: 'shared-results',
      concurrency: IN_FLIGHT,
      platform: this.#platform!.platform,
    }
  }

  #note(rowId: string): void {
    if (this.acknowledged.has(rowId)) this.problems.push(`${rowId} was reported as stored twice: it had been lost`)
    this.acknowledged.add(rowId)
  }

  #start(kind: 'runner' | 'worker'): void {
    const command = kind === 'runner' ? 'ladder' : 'worker'
    const worker = startProcess(command, this.#options())
    this.running.add(worker)
    this.#kinds.set(worker, kind)
    onRowStored(worker.child, (rowId) => this.#note(rowId))
    void worker.ended.then(({ code, output }) => {
      this.running.delete(worker)
      if (!this.#killed.has(worker) && code !== 0) this.problems.push(`${command} ended with ${code}:\n${output}`)
    })
  }

  async #startEngine(): Promise<void> {
    const { root, gateway } = this.#project
    const env = {
      MATRIX_EVIDENCE_URL: this.#database,
      MATRIX_GATEWAY_URL: gateway.url,
      MATRIX_PLATFORM_URL: this.#platform!.platform,
    }
    const engine = await startEngine(root, env)
    this.#engine = engine
    this.#watching = (async () => {
      for await (const { event } of await engine.client.system.events({ after: 0 }))
        if (event.type === 'cell.finished' && !event.reused) this.#note(event.row_id)
    })().catch(() => undefined)
  }

  async #stateInEngine(): Promise<string> {
    const { runs } = await this.#engine!.client.runs.list({})
    return runs.find(({ run_id: id }) => id === RUN)?.state ?? 'unknown'
  }

  async #failuresInEngine(): Promise<string> {
    return JSON.stringify([await this.#engine!.client.runs.interrupted(), this.#engine!.errors()])
  }

  async #resume(): Promise<void> {
    const [offer] = await this.#engine!.client.runs.interrupted()
    if (offer?.run_id !== RUN || !offer.resumable)
      this.problems.push('the run is not offered after a kill of the engine')
    await this.#engine!.client.runs.resume({ run_id: RUN })
  }

  async #engineWorks(observer: RunObserver): Promise<void> {
    for (;;) {
      if ((await observer.workingPids()).includes(this.#engine!.child.pid!)) return
      const state = await this.#stateInEngine()
      if (state === 'failed' || this.running.size === 0)
        throw new Error(`the engine makes no cell: its run is ${state}: ${await this.#failuresInEngine()}`)
      await delay(20)
    }
  }

  async #workingOne(kind: 'runner' | 'worker', observer: RunObserver): Promise<Worker> {
    for (;;) {
      const pids = await observer.workingPids()
      const victims = [...this.running].filter(
        (worker) => this.#kinds.get(worker) === kind && pids.includes(worker.child.pid!),
      )
      const victim = victims[Math.floor(this.random() * victims.length)]
      if (victim !== undefined) return victim
      if (![...this.running].some((worker) => this.#kinds.get(worker) === kind))
        throw new Error(`every ${kind} ended before the last kill`)
      await delay(5)
    }
  }
}
