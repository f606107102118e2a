import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { recoverTornTail } from '../../main/evidence/files/recover-torn-tail.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { randomFrom } from '../helpers/random.ts'
import { rowId } from '../../main/evidence/rows/row-id.ts'
import { bundledScript } from './bundled-script.ts'
import type { KillRunnerInput } from './kill-runner.ts'

export interface KillRoundsInput {
  rounds: number
  /** Runners per round; null picks 1 to 3 at random. */
  runners: number | null
  seed: number
  /** `maxMs` and `maxKills` end the rounds early, between two of them. */
  maxMs?: number
  maxKills?: number
}

/** Describes what the rounds showed. Every list in it must be empty for the log to be right. */
export interface KillReport {
  rounds: number
  kills: number
  /** Rows whose storage was acknowledged. */
  acknowledged: number
  modelCalls: number
  /** Unfinished lines that were found after a round, at most one each, and recovered. */
  tornTails: number
  lostRows: string[]
  /** Cells that were called after their row or answer was acknowledged, or while another living runner made them. */
  doubleCalls: string[]
  /** Rounds after which the log did not verify, or could not be recovered. */
  damage: string[]
}

/** A new log every so often, so that a check after each round stays quick. */
const ROUNDS_PER_LOG = 25

/** A runner works for at most so long before it is killed; longer on a machine that also takes long to start it. */
const SHORTEST_WORK_MS = 150

interface Runner {
  startedMs: number
  child: ChildProcess
  killedAt: bigint | null
  ready: Promise<void>
  output: Promise<string>
}

const cellId = (cell: number): string =>
  rowId({ run_id: 'run-1', dataset_id: 'baseline_curated', question_id: `q${cell}`, model: 'vanilla-rag' })

/**
 * Lets runners work on one log and kills each with SIGKILL at a random moment, again and again. After every round it checks that no
 * acknowledged row is lost, that no cell was called twice without need, and that the log is whole apart from one torn tail.
 */
export async function runKillRounds({ rounds, runners, seed, ...limits }: KillRoundsInput): Promise<KillReport> {
  const { maxMs = Infinity, maxKills = Infinity } = limits
  const random = randomFrom(seed)
  const report: KillReport = {
    rounds: 0,
    kills: 0,
    acknowledged: 0,
    modelCalls: 0,
    tornTails: 0,
    lostRows: [],
    doubleCalls: [],
    damage: [],
  }
  const script = await bundledScript('kill-runner.ts')
  const startedAt = performance.now()
  const goesOn = () => report.rounds < rounds && report.kills < maxKills && performance.now() - startedAt < maxMs
  while (goesOn()) {
    const folder = await mkdtemp(join(tmpdir(), 'kill-rounds-'))
    try {
      const campaign = new Campaign(script, folder, report, random)
      for (let round = 0; round < ROUNDS_PER_LOG && goesOn(); round += 1)
        await campaign.round(runners ?? 1 + Math.floor(random() * 3))
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  return report
}

/** The rounds on one log, with everything that its runners ever reported. */
class Campaign {
  readonly #script: string
  readonly #folder: string
  readonly #file: string
  readonly #report: KillReport
  readonly #random: () => number
  /** Row id → when it was first safe, as a stored row or as a kept answer. */
  readonly #safeAt = new Map<string, bigint>()
  readonly #stored = new Set<string>()
  readonly #killedAt = new Map<string, bigint>()
  #countedCalls = 0
  #runnerCount = 0
  #first = 0

  constructor(script: string, folder: string, report: KillReport, random: () => number) {
    this.#script = script
    this.#folder = folder
    this.#file = join(folder, 'kill-evidence.jsonl')
    this.#report = report
    this.#random = random
  }

  async round(runnerCount: number): Promise<void> {
    const runners = Array.from({ length: runnerCount }, () => this.#start())
    await Promise.all(
      runners.map(async (runner) => {
        // Some are killed while they start and open the log, most while they work.
        await (this.#random() < 0.15 ? delay(this.#random() * 500) : runner.ready)
        await delay(this.#random() * Math.max(SHORTEST_WORK_MS, (performance.now() - runner.startedMs) / 2))
        runner.killedAt = process.hrtime.bigint()
        runner.child.kill('SIGKILL')
      }),
    )
    const outputs = await Promise.all(runners.map(({ output }) => output))
    this.#report.rounds += 1
    this.#report.kills += runnerCount
    await this.#check(outputs.join(''))
  }

  #start(): Runner {
    const name = `calls-${this.#runnerCount++}`
    const input: KillRunnerInput = {
      file: this.#file,
      callsFile: join(this.#folder, name),
      seed: Math.floor(this.#random() * 2 ** 31),
      first: this.#first,
      last: null,
      inFlight: 1 + Math.floor(this.#random() * 4),
    }
    const startedMs = performance.now()
    const child = spawn(process.execPath, [this.#script, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const ready = new Promise<void>((resolve) => {
      child.stdout.on('data', (piece: Buffer) => {
        text += piece.toString('latin1')
        if (text.includes('ready ')) resolve()
      })
      child.once('close', () => resolve())
    })
    let errors = ''
    child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()))
    const runner: Runner = {
      startedMs,
      child,
      killedAt: null,
      ready,
      output: new Promise((resolve) => {
        child.once('close', (code) => {
          this.#killedAt.set(name, runner.killedAt ?? process.hrtime.bigint())
          // One that starts just after another left a torn tail refuses the log, as it must.
          if (code !== null && !text.includes('refused:torn_tail'))
            this.#report.damage.push(
              `a runner ended by itself with ${code}: ${text.slice(-200)} ${errors.slice(0, 800)}`,
            )
          resolve(text)
        })
      }),
    }
    return runner
  }

  async #check(output: string): Promise<void> {
    const { damage } = this.#report
    for (const [what, rowId, at] of wordsOf(output)) {
      if (what === 'stored') this.#stored.add(rowId)
      if (what !== 'stored' && what !== 'kept') continue
      const before = this.#safeAt.get(rowId)
      const reported = BigInt(at)
      if (before === undefined || reported < before) this.#safeAt.set(rowId, reported)
      if (what === 'stored') this.#report.acknowledged += 1
    }

    const torn = (await verifyEvidence(this.#file)).problems.some(({ code }) => code === 'torn_tail')
    if (torn) {
      this.#report.tornTails += 1
      const recovered = await recoverTornTail(this.#file)
      if (!recovered.ok) damage.push(recovered.refusal.message)
    }
    const verified = await verifyEvidence(this.#file)
    damage.push(...verified.problems.filter(({ code }) => code !== 'missing').map(({ message }) => message))

    const inFile = new Set<string>()
    const text = verified.sizeBytes > 0 ? await readFile(this.#file, 'utf8') : ''
    for (const line of text.split('\n').slice(0, -1)) inFile.add((JSON.parse(line) as { row_id: string }).row_id)
    for (const rowId of this.#stored) if (!inFile.has(rowId)) this.#report.lostRows.push(rowId)
    await this.#checkCalls()
    while (inFile.has(cellId(this.#first))) this.#first += 1
  }

  /** A cell may be called again only after its earlier caller was killed, and never once its answer was safe. */
  async #checkCalls(): Promise<void> {
    const calls = new Map<string, { at: bigint; by: string }[]>()
    let count = 0
    for (const by of (await readdir(this.#folder)).filter((name) => name.startsWith('calls-')))
      for (const [rowId, at] of wordsOf(await readFile(join(this.#folder, by), 'latin1'))) {
        calls.set(rowId, [...(calls.get(rowId) ?? []), { at: BigInt(at), by }])
        count += 1
      }
    this.#report.modelCalls += count - this.#countedCalls
    this.#countedCalls = count
    const wrong = new Set<string>()
    for (const [rowId, made] of calls) {
      made.sort((a, b) => (a.at < b.at ? -1 : 1))
      const safeAt = this.#safeAt.get(rowId)
      for (const [index, { at }] of made.entries()) {
        if (safeAt !== undefined && at > safeAt) wrong.add(`${rowId} was called after it was safe`)
        const earlier = made[index - 1]
        if (earlier !== undefined && at < this.#killedAt.get(earlier.by)!)
          wrong.add(`${rowId} was called by two living runners`)
      }
    }
    for (const problem of wrong) if (!this.#report.doubleCalls.includes(problem)) this.#report.doubleCalls.push(problem)
  }
}

const wordsOf = (text: string): [string, string, string][] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ') as [string, string, string])
