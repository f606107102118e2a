import { runEngineKills, type EngineKillReport } from '../crash/engine-kills.ts'
import { Gate, mixedProject, runMixedKills } from '../crash/mixed-kills.ts'
import { runKillRounds, type KillReport } from '../crash/kill-rounds.ts'
import { artifactsOf, runProcess, runWorkerKills, workerProject } from '../crash/worker-kills.ts'
import { postgresMissing, startPostgres } from '../helpers/postgres-server.ts'
import { atMost, shown, type Figure } from './figure.ts'

export interface KillFigures {
  /** Two runners, killed together again and again. */
  pairs: KillReport
  /** One to three runners per round, until that many kills are reached (P10: 1,000). */
  mixed: KillReport
}

/** Rounds of SIGKILL at random moments: how many rows were lost and cells called twice (both must be none). */
export async function benchKills(rounds = 200, mixedKills = 1000, seed = 1): Promise<KillFigures> {
  return {
    pairs: await runKillRounds({ rounds, runners: 2, seed }),
    mixed: await runKillRounds({ rounds: Infinity, runners: null, seed: seed + 1, maxKills: mixedKills }),
  }
}

/** Other processes than runners: workers of a run on PostgreSQL with processes of that server, and the engine that serves the panel. */
export async function benchProcessKills(): Promise<Figure[]> {
  return [...(await databaseKills()), ...engineFigures(await runEngineKills(10, 3))]
}

function engineFigures({ kills, acknowledged, problems }: EngineKillReport): Figure[] {
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  return [
    shown('P10', 'engine that serves the panel: kills during one run', kills, ''),
    shown('P10', 'engine: rows acknowledged', acknowledged, ''),
    atMost('P10', 'engine: rows lost, cells made twice, runs not offered', problems.length, '', 0),
  ]
}

async function databaseKills(): Promise<Figure[]> {
  if (postgresMissing !== null) throw new Error(postgresMissing)
  const server = await startPostgres()
  const project = await workerProject(1200, 20)
  try {
    await runProcess('matrix', { project, database: null, results: 'own-results', concurrency: 8 })
    const how = { workers: 3, kills: 30, serverKills: 15, concurrency: 2, seed: 10 }
    const report = await runWorkerKills(project, await server.freshDatabase(), how)
    for (const problem of report.problems) process.stderr.write(`${problem}\n`)
    const isEqual =
      JSON.stringify(await artifactsOf(project, 'own-results')) ===
      JSON.stringify(await artifactsOf(project, 'shared-results'))
    return [
      shown('P10', '3 workers on PostgreSQL, 1,200 cells: kills of workers', report.kills, ''),
      shown('P10', "the same run: kills of PostgreSQL's own processes", report.serverKills, ''),
      shown('P10', 'the same run: rows acknowledged', report.acknowledged, ''),
      atMost('P10', 'the same run: rows lost or twice, cells called too often', report.problems.length, '', 0),
      shown('P10', 'the same run: calls under way at a kill, made again', report.repeatedCalls, ''),
      atMost('P10', 'the same run: artifacts that differ from those of one host', isEqual ? 0 : 1, '', 0),
    ]
  } finally {
    await project.close()
    await server.close()
  }
}

/** Cells of the run for each kill: enough that a process that was started again still finds some. */
const CELLS_PER_KILL = 30

/** Runners, workers, the engine and processes of PostgreSQL, killed in random order during one run. The seed repeats the order. */
export async function benchMixedKills(kills: number, seed: number): Promise<Figure[]> {
  if (postgresMissing !== null) throw new Error(postgresMissing)
  process.stderr.write(`mixed-kills: ${kills} kills with --seed ${seed}\n`)
  const gate = new Gate()
  const server = await startPostgres()
  const project = await mixedProject(Math.max(80, kills * CELLS_PER_KILL), gate)
  try {
    const report = await runMixedKills(project, { database: await server.freshDatabase(), gate, kills, seed })
    for (const problem of report.problems) process.stderr.write(`${problem}\n`)
    const { runner, worker, engine, postgres } = report.kills
    return [
      shown('P10', 'one run: kills of 1 to 3 runners', runner, ''),
      shown('P10', 'the same run: kills of 2 workers', worker, ''),
      shown('P10', 'the same run: kills of the engine that serves the panel', engine, ''),
      shown('P10', "the same run: kills of PostgreSQL's own processes", postgres, ''),
      shown('P10', 'the same run: seed of their order', seed, ''),
      shown('P10', 'the same run: rows acknowledged', report.acknowledged, ''),
      shown('P10', 'the same run: rows at the end', report.rows, ''),
      shown('P10', 'the same run: calls under way at a kill, made again', report.repeatedCalls, ''),
      atMost(
        'P10',
        'the same run: rows lost or twice, cells called too often, logs damaged',
        report.problems.length,
        '',
        0,
      ),
      shown('P10', 'the same run: duration', report.wallS, 's'),
    ]
  } finally {
    await project.close()
    await server.close()
  }
}
