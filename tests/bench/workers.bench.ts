import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { artifactsOf, CLI, runProcess, runWorkerKills, startProcess, workerProject } from '../crash/worker-kills.ts'
import { CLI_FLAGS } from '../helpers/program.ts'
import { postgresMissing, startPostgres, type PostgresServer } from '../helpers/postgres-server.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { startStubGateway } from '../helpers/stub-gateway.ts'
import { atMost, median, shown, type Figure } from './figure.ts'
import { measureProcess } from './measured-process.ts'

const LATENCY_MS = 20
const WORKERS = [1, 2, 4]

/** Cells per second of `workers` processes, one cell at a time each, from the moment when the last of them had joined. */
async function cellsPerSecond(server: PostgresServer, workers: number): Promise<number> {
  const project = await workerProject(1200, LATENCY_MS)
  const database = await server.freshDatabase()
  const client = new pg.Client({ connectionString: database })
  try {
    const options = { project, database, results: 'results', concurrency: 1 }
    const processes = Array.from({ length: workers }, (_, index) =>
      startProcess(index === 0 ? 'matrix' : 'worker', options),
    )
    for (const { ended } of processes) {
      const { code, output } = await ended
      if (code !== 0) throw new Error(`a process ended with ${code}:\n${output}`)
    }
    await client.connect()
    const { rows } = await client.query<{ workers: string; cells: string; seconds: number }>(
      `WITH joined AS (SELECT count(*) AS workers, max(started_at) AS at FROM rag_ladder.workers)
       SELECT joined.workers, count(*) AS cells, extract(epoch FROM max(stored_at) - joined.at)::float8 AS seconds
       FROM rag_ladder.rows, joined WHERE stored_at > joined.at GROUP BY joined.workers, joined.at`,
    )
    const [found] = rows
    if (Number(found?.workers) !== workers) throw new Error(`${found?.workers} of ${workers} workers joined`)
    return Number(found!.cells) / found!.seconds
  } finally {
    await client.end()
    await project.close()
  }
}

async function throughput(server: PostgresServer): Promise<Figure[]> {
  const rounds: number[][] = []
  for (let round = 0; round < 3; round += 1) {
    const rates: number[] = []
    for (const workers of WORKERS) rates.push(await cellsPerSecond(server, workers))
    rounds.push(rates)
  }
  const rateOf = (index: number): number => median(rounds.map((rates) => rates[index]!))
  const ratio = median(rounds.map((rates) => rates[2]! / rates[0]!))
  return [
    ...WORKERS.map((workers, index) =>
      shown('P21', `cells per second, workers: ${workers}, one cell at a time each`, rateOf(index), '/s'),
    ),
    {
      id: 'P21',
      what: 'four workers over one, median of 3',
      value: ratio,
      unit: '×',
      target: '≥ 3.2',
      met: ratio >= 3.2,
    },
  ]
}

async function kills(server: PostgresServer): Promise<Figure[]> {
  const project = await workerProject(2000, LATENCY_MS)
  try {
    await runProcess('matrix', { project, database: null, results: 'own-results', concurrency: 8 })
    const database = await server.freshDatabase()
    const report = await runWorkerKills(project, database, { workers: 4, kills: 40, concurrency: 2, seed: 21 })
    const [own, shared] = [await artifactsOf(project, 'own-results'), await artifactsOf(project, 'shared-results')]
    const isEqual = JSON.stringify(own) === JSON.stringify(shared)
    for (const problem of report.problems) process.stderr.write(`${problem}\n`)
    return [
      shown('P21', '2,000 cells, 4 workers: kills', report.kills, ''),
      atMost('P21', 'rows missing, twice or called too often', report.problems.length, '', 0),
      shown('P21', 'calls that a killed worker had under way, made again', report.repeatedCalls, ''),
      {
        id: 'P21',
        what: 'artifacts equal to those of one host, timings apart',
        value: isEqual ? 1 : 0,
        unit: '',
        target: '= 1',
        met: isEqual,
      },
      shown('P21', 'whole run with its kills', report.wallS, 's'),
    ]
  } finally {
    await project.close()
  }
}

/** A run of a million cells from its start to its plan, as a whole process; it is stopped with its first calls under way. */
async function millionCells(): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-million-'))
  const gateway = await startStubGateway({ latencyMs: 600_000 })
  try {
    await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
    const questions = Array.from({ length: 10_000 }, (_, index) => ({ id: `q-${index}`, query: `question ${index}` }))
    await writeFile(
      join(root, 'manifests/datasets/smoke.yaml'),
      JSON.stringify({ version: 1, label: 'Smoke', questions }),
    )
    const models = 'vanilla-rag,hybrid-rag,contextual-rag,lazy-graph-rag,graph-rag'
    const of = ['--project', root, '--dataset', 'smoke', '--models', models, '--repeats', '20', '--run-id', 'million']
    const how = ['--gateway', gateway.url, '--no-evaluate', '--json']
    const startedAt = performance.now()
    let plannedS = Number.NaN
    let total = 0
    const run = await measureProcess(
      process.execPath,
      [...CLI_FLAGS, CLI, 'matrix', ...of, ...how],
      {},
      (line, atMs, end) => {
        if (line.includes('"plan.ready"')) {
          plannedS = (atMs - startedAt) / 1000
          total = (JSON.parse(line) as { plan: { total: number } }).plan.total
        } else if (line.includes('"cell.started"')) end()
      },
    )
    return [
      shown('P21', 'cells planned, nothing stored', total, ''),
      atMost('P21', 'from the start of the process to the plan', plannedS, 's', 60),
      atMost('P21', 'peak memory of the process', run.peakMb ?? Number.NaN, 'MB', 500),
    ]
  } finally {
    await gateway.close()
    await rm(root, { recursive: true, force: true })
  }
}

/** P21: one run on a database by several processes, and a plan of a million cells. */
export async function benchWorkers(): Promise<Figure[]> {
  const million = await millionCells()
  if (postgresMissing !== null) throw new Error(postgresMissing)
  const server = await startPostgres()
  try {
    return [...million, ...(await throughput(server)), ...(await kills(server))]
  } finally {
    await server.close()
  }
}
