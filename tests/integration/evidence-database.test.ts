import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { CELLS, ladderArgs, MODELS, planOf } from '../helpers/ladder-run.ts'
import { postgresMissing, usePostgres, whyNoPostgres } from '../helpers/postgres-server.ts'
import { startStubGateway, type StubGateway } from '../helpers/stub-gateway.ts'

describe.skipIf(postgresMissing !== null)(`runs whose rows are in a database${whyNoPostgres}`, () => {
  const server = usePostgres({ fsync: false })
  let root = ''
  let gateway: StubGateway
  beforeAll(async () => {
    root = await smokeProject()
    gateway = await startStubGateway({ sameAnswers: true })
  })
  afterAll(async () => {
    await gateway.close()
    await rm(root, { recursive: true, force: true })
  })

  const matrix = (run: string, ...more: string[]): string[] => {
    const cells = ['--project', root, '--dataset', 'smoke', '--run-id', run, '--models', MODELS]
    return ['matrix', ...cells, '--gateway', gateway.url, '--no-evaluate', '--json', ...more]
  }
  const evidence = (run: string): string => join(root, `results/${run}-smoke-evidence.jsonl`)

  it('a run leaves the files that a run without a database leaves, and its password nowhere', async () => {
    const address = (await server().freshDatabase()).replace('postgres@', 'postgres:very-secret@')
    const env = { MATRIX_EVIDENCE_URL: address }
    const made = await runCli(matrix('kept'), env)
    expect(made.code, made.stderr).toBe(0)
    expect(await verifyEvidence(evidence('kept'))).toMatchObject({ ok: true, rows: CELLS })
    const { MATRIX_EVIDENCE_URL: _, ...without } = env
    const own = await runCli(matrix('own'), without)
    expect(own.code, own.stderr).toBe(0)
    const names = (await readdir(join(root, 'results'))).filter((name) => !name.endsWith('.lock'))
    const of = (run: string) => names.flatMap((name) => (name.startsWith(run) ? [name.slice(run.length)] : [])).sort()
    expect(of('kept')).toEqual([...of('own'), '-smoke-evidence.copy.json'].sort())

    const calls = gateway.calls()
    const again = await runCli(matrix('kept'), env)
    expect(planOf(again)).toMatchObject({ total: CELLS, reuse: CELLS, run: 0 })
    expect(gateway.calls()).toBe(calls)
    const listed = await runCli(['worker', '--list', '--project', root, '--dataset', 'smoke', '--run-id', 'kept'], env)
    expect(listed.stdout).toMatch(new RegExp(`smoke: .+: ${CELLS} stored, 0 in hand, ended .+ ago`))

    const printed = [made, again, listed].map(({ stdout, stderr }) => stdout + stderr).join('')
    expect(printed).not.toContain('very-secret')
    for (const name of names)
      expect(await readFile(join(root, 'results', name), 'utf8'), name).not.toContain('very-secret')
  }, 180_000)

  it('doctor connects to the database and makes nothing in it', async () => {
    const address = await server().freshDatabase()
    const checked = await runCli(['doctor', '--project', root], { MATRIX_EVIDENCE_URL: address, DATABASE_URL: address })
    const label = address.replace('postgres@', '')
    expect(checked.stdout).toContain(`● rows of runs · ${label}\n● records of the platform · ${label}\n`)
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    const schemas = await client.query("SELECT FROM pg_namespace WHERE nspname = 'rag_ladder'")
    await client.end()
    expect(schemas.rowCount).toBe(0)
  }, 60_000)

  it('refuses a password on the command line, and to add rows to the copy of a database', async () => {
    const address = await server().freshDatabase()
    const open = await runCli(matrix('typed', '--evidence', address.replace('postgres@', 'postgres:very-secret@')))
    expect(open.code).toBe(2)
    expect(open.stderr).toContain('--evidence: remove the password from the address')
    expect(open.stderr).not.toContain('very-secret')
    expect((await runCli(matrix('typed', '--evidence', address))).code).toBe(0)
    const lines = await readFile(evidence('typed'), 'utf8')
    const beside = await runCli(matrix('typed', '--models', 'graph-rag'))
    expect(beside.code).toBe(4)
    expect(beside.stderr).toContain('it is a copy of rows in the database postgres://127.0.0.1')
    expect(await readFile(evidence('typed'), 'utf8')).toBe(lines)
  }, 180_000)

  it('a worker waits until the run is started, makes its cells, and refuses other conditions', async () => {
    const env = { MATRIX_EVIDENCE_URL: await server().freshDatabase() }
    const help = ['worker', ...matrix('helped').slice(1)]
    const worker = startCli([...help, '--name', 'anna'], env)
    await worker.event('notice')
    const [own, helped] = await Promise.all([runCli(matrix('helped'), env), worker.done])
    expect([own.code, helped.code], own.stderr + helped.stderr).toEqual([0, 0])
    expect(await verifyEvidence(evidence('helped'))).toMatchObject({ ok: true, rows: CELLS })
    const other = await runCli([...help, '--gateway', gateway.url.replace('127.0.0.1', 'localhost')], env)
    expect(other.code, other.stdout).toBe(4)
    expect((await runCli(['worker', ...matrix('helped').slice(1)])).stderr).toContain('--evidence: name the database')
  }, 180_000)

  it('a ladder with its own platform keeps its rows there, and a cold reset starts over', async () => {
    const env = { MATRIX_EVIDENCE_URL: await server().freshDatabase() }
    const first = await runCli(ladderArgs(root, '--models', 'vanilla-rag', '--no-publish', '--no-evaluate'), env)
    expect(first.code, first.stderr).toBe(0)
    const again = await runCli(
      ladderArgs(root, '--models', 'vanilla-rag', '--no-publish', '--no-evaluate', '--cold-reset'),
      env,
    )
    expect(again.code, again.stderr).toBe(0)
    expect(planOf(again)).toMatchObject({ reuse: 0, run: 4 })
    expect(await verifyEvidence(evidence('test'))).toMatchObject({ ok: true, rows: 4 })
  }, 180_000)

  it.skipIf(process.platform === 'win32')(
    'a Slurm script starts workers, and a Kubernetes job names no credential',
    async () => {
      const address = await server().freshDatabase()
      const env = { MATRIX_EVIDENCE_URL: address }
      const folder = join(root, 'slurm')
      await mkdir(folder, { recursive: true })
      // srun does this with a script of two tasks: it runs the command twice, at the same time.
      const srun = '#!/bin/bash\nshift\n"$@" & first=$!\n"$@"; second=$?\nwait $first && exit $second\n'
      await writeFile(join(folder, 'srun'), srun, { mode: 0o755 })
      const of = [
        '--dataset',
        'smoke',
        '--run-id',
        'sent',
        '--models',
        MODELS,
        '--gateway',
        gateway.url,
        '--no-evaluate',
      ]
      const script = join(folder, 'job.sh')
      const written = await runCli(
        ['export', 'job', '--slurm', '--workers', '2', '--project', root, ...of, '--output', script],
        env,
      )
      expect(written.code, written.stderr).toBe(0)
      expect((await runCli(matrix('sent'), env)).code).toBe(0)
      const path = `${folder}:${process.env['PATH']}`
      const submitted = await promisify(execFile)('bash', [script], { env: { ...process.env, ...env, PATH: path } })
      expect(submitted.stderr).toBe('')
      const listed = await runCli(
        ['worker', '--list', '--project', root, '--dataset', 'smoke', '--run-id', 'sent'],
        env,
      )
      expect(listed.stdout.trim().split('\n')).toHaveLength(3)

      const pods = await runCli(['export', 'job', '--kubernetes', '--image', 'ladder:1', ...of, '--project', root], env)
      const { metadata, spec } = parse(pods.stdout) as {
        metadata: { name: string }
        spec: { parallelism: number; template: { spec: { containers: { args: string[]; envFrom: unknown }[] } } }
      }
      expect([metadata.name, spec.parallelism]).toEqual(['rag-ladder-sent', 4])
      const [container] = spec.template.spec.containers
      expect(container!.args.slice(0, 3)).toEqual(['worker', '--dataset', 'smoke'])
      expect(container!.envFrom).toEqual([{ secretRef: { name: 'rag-ladder' } }])
      expect(pods.stdout).not.toContain('postgres://')
      const incomplete = await runCli(['export', 'job', '--kubernetes', '--workers', '0', '--project', root])
      expect(incomplete.code).toBe(2)
      for (const option of ['--dataset', '--run-id', '--gateway', '--workers', '--image'])
        expect(incomplete.stderr).toContain(option)
    },
    180_000,
  )
})
