import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  ALIASES,
  artifactsOf,
  runProcess,
  startProcess,
  workerProject,
  type WorkerProject,
} from '../crash/worker-kills.ts'
import { runCli } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { postgresMissing, usePostgres } from '../helpers/postgres-server.ts'
import { pythonPeer } from './python-peer.ts'
import { startRayCluster, type RayTestCluster } from './ray-cluster.ts'

// A real Ray cluster of one head and two worker nodes, to which `rag-ladder submit` sends the workers of a run over its API for jobs.

const peer = await pythonPeer('ray')
const reason = peer.reason ?? postgresMissing
if (reason !== null) console.log(`○ ${reason}`)
beforeEach(({ skip }) => skip(reason !== null, reason ?? ''))

const TOKEN = 'token-of-the-cluster-0123456789abcdef'
const PASSWORD = 'very-secret'

interface Job {
  status: string
  entrypoint: string
}

describe(`Ray ${peer.version ?? ''}`, () => {
  const server = usePostgres({ fsync: false })
  let cluster: RayTestCluster | undefined
  beforeAll(async () => {
    if (reason !== null) return
    const env = { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: TOKEN, PGPASSWORD: PASSWORD }
    cluster = await startRayCluster(peer.bin!, { nodes: 2, env })
  }, 120_000)
  afterAll(() => cluster?.close())

  const submit = (database: string, project: WorkerProject, ...more: string[]) => {
    const of = ['--project', project.root, '--dataset', 'smoke', '--models', ALIASES.join(','), '--run-id', 'shared']
    const how = ['--gateway', project.gateway.url, '--no-evaluate', '--concurrency', '1', '--workers', '2']
    return runCli(['submit', ...more, ...of, ...how, '--resource', 'corpus'], {
      RAY_URL: cluster!.url,
      RAY_AUTH_TOKEN: TOKEN,
      MATRIX_EVIDENCE_URL: database.replace('postgres@', `postgres:${PASSWORD}@`),
    })
  }
  const jobs = async (): Promise<Job[]> => {
    const response = await fetch(`${cluster!.url}/api/jobs/`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return (await response.json()) as Job[]
  }
  /** Submits two workers and waits until both wait for their run. */
  const submitted = async (database: string, project: WorkerProject): Promise<void> => {
    const sent = await submit(database, project)
    expect(sent.code, sent.stderr).toBe(0)
    await until(async () => {
      const { stdout } = await submit(database, project, 'logs')
      return stdout.split('waiting until run shared is started').length === 3
    })
  }
  const opened = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database })
    client.on('error', () => undefined)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  it('stops the workers of a cancelled job, and the run goes on without them', async () => {
    const project = await workerProject(40, 500)
    onTestFinished(() => project.close())
    const database = await server().freshDatabase()
    await submitted(database, project)
    const starter = startProcess('matrix', { project, database, results: 'shared-results', concurrency: 1 })
    const client = await opened(database)
    await until(async () => (await rowsBy(client)).some(({ name, rows }) => name.startsWith('ray-') && rows > 1))
    const workers = (await rowsBy(client)).filter(({ name }) => name.startsWith('ray-'))
    const cancelled = await submit(database, project, 'cancel')
    expect(cancelled.stdout).toMatch(/rag-ladder-shared-\d+ is being stopped/)
    await until(async () => (await submit(database, project, 'status')).stdout.includes(': stopped'))
    await until(async () => workers.every(({ pid }) => !isAlive(pid)))
    const { code, output } = await starter.ended
    expect(code, output).toBe(0)
    expect((await rowsBy(client)).reduce((sum, { rows }) => sum + rows, 0)).toBe(40)
  }, 300_000)

  it('a wrong token, an address of something else and a password in the address are refused', async () => {
    const env = { MATRIX_EVIDENCE_URL: 'postgres://unlisted@127.0.0.1:9/none' }
    const status = (ray: string, token: string) =>
      runCli(['submit', 'status', '--run-id', 'shared', '--ray', ray], { ...env, RAY_AUTH_TOKEN: token })
    const wrong = await status(cluster!.url, 'token-of-another-cluster-0123456789')
    expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringContaining('set RAY_AUTH_TOKEN')])
    const unknown = await status(cluster!.url, TOKEN)
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no job of the run shared')])
    const project = await workerProject(4, 0)
    onTestFinished(() => project.close())
    const other = await status(project.gateway.url, TOKEN)
    expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('name the address of a Ray dashboard')])
    const open = await submit(
      'postgres://postgres@127.0.0.1:9/none',
      project,
      '--evidence',
      `postgres://a:${PASSWORD}@b/c`,
    )
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('--evidence: remove the password')])
  }, 120_000)

  // The last one: the cluster has one node less then.
  it('makes 500 cells on two nodes while a worker and a node are killed: every cell once, artifacts as on one host', async () => {
    const project = await workerProject(500, 60)
    onTestFinished(() => project.close())
    await runProcess('matrix', { project, database: null, results: 'own-results', concurrency: 8 })
    const calls = project.gateway.calls()
    const database = await server().freshDatabase()
    await submitted(database, project)
    const run = { project, database, results: 'shared-results', concurrency: 1 }
    const starter = startProcess('matrix', run)
    const client = await opened(database)
    await until(async () => (await rowsBy(client)).filter(({ rows }) => rows > 20).length === 3)
    const [victim] = (await rowsBy(client)).filter(({ name }) => name.startsWith('ray-'))
    process.kill(victim!.pid, 'SIGKILL')
    // Ray starts it again: a third worker of the cluster is listed.
    await until(
      async () => (await rowsBy(client)).filter(({ name, rows }) => name === victim!.name && rows > 5).length === 2,
    )
    process.kill(cluster!.raylets[0]!, 'SIGKILL')
    const { code, output } = await starter.ended
    expect(code, output).toBe(0)
    await until(async () => (await submit(database, project, 'status')).stdout.includes(': succeeded'))

    const { rows } = await client.query<{ rows: number; cells: number }>(
      'SELECT count(*)::int AS rows, count(DISTINCT row_id)::int AS cells FROM rag_ladder.rows',
    )
    expect(rows[0]).toEqual({ rows: 500, cells: 500 })
    // A worker that was killed may have had one call under way.
    expect(project.gateway.calls() - calls - 500).toBeLessThanOrEqual(2)
    expect(await artifactsOf(project, 'shared-results')).toEqual(await artifactsOf(project, 'own-results'))
    const made = await rowsBy(client)
    console.log(`rows by worker: ${made.map(({ name, rows: count }) => `${name} ${count}`).join(', ')}`)
    const { stdout } = await submit(database, project, 'logs')
    expect(stdout).toContain('worker 1 ended with code 0')
    expect(stdout).toContain('worker 2 ended with code 0')
    for (const secret of [PASSWORD, TOKEN]) expect(JSON.stringify(await jobs()) + stdout).not.toContain(secret)
  }, 300_000)
})

interface MadeRows {
  name: string
  pid: number
  rows: number
}

/** Rows by process, in the order in which they joined; empty before the tables exist. */
async function rowsBy(client: pg.Client): Promise<MadeRows[]> {
  const tables = await client.query("SELECT FROM pg_tables WHERE schemaname = 'rag_ladder' AND tablename = 'workers'")
  if (tables.rowCount === 0) return []
  const { rows } = await client.query<MadeRows>(
    'SELECT w.name, w.pid, (SELECT count(*)::int FROM rag_ladder.rows r WHERE r.worker = w.key) AS rows FROM rag_ladder.workers w ORDER BY w.key',
  )
  return rows
}

/** Waits for what another program does without reporting it. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(100)
}
