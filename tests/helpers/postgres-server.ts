import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { findOnPath, findPostgres } from '../../build/e2e/find-program.ts'

/*
 * A PostgreSQL server of the tests' own: a cluster in a temporary folder, on 127.0.0.1 and a free port, without a socket file. The server
 * refuses to run as root, so root starts it as user `postgres` (else `nobody`) through setpriv, which also ends it with its parent.
 *
 *     const server = usePostgres()                       // at the top of a file or of a describe
 *     describe.skipIf(postgresMissing !== null)(`jobs on PostgreSQL${whyNoPostgres}`, …)
 *     const url = await server().freshDatabase()         // in each test
 */

interface Programs {
  folder: string
  /** Holds what precedes each command: nothing, or a change of the user. */
  prefix: string[]
  owner: { uid: number; gid: number } | null
}

function userOf(name: string): { uid: number; gid: number } | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) }
}

function findPrograms(): Programs | { reason: string } {
  if (process.platform === 'win32') return { reason: 'the tests do not start PostgreSQL on Windows' }
  const folder = findPostgres()
  if (folder === null) return { reason: 'PostgreSQL is not installed (Debian: apt-get install postgresql)' }
  const setpriv = findOnPath(['setpriv'])
  if (process.getuid?.() !== 0) {
    return { folder, prefix: setpriv === null ? [] : [setpriv, '--pdeathsig', 'QUIT', '--'], owner: null }
  }
  const owner = userOf('postgres') ?? userOf('nobody')
  if (setpriv === null || owner === null) {
    return { reason: 'PostgreSQL does not run as root, and there is no setpriv or no user postgres to start it as' }
  }
  const ids = ['--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups']
  return { folder, prefix: [setpriv, ...ids, '--pdeathsig', 'QUIT', '--'], owner }
}

const programs = findPrograms()

/** Why no server can be started here; null where one can. */
export const postgresMissing: string | null = 'reason' in programs ? programs.reason : null

/** For titles of suites: nothing, or the reason why they are skipped. */
export const whyNoPostgres = postgresMissing === null ? '' : ` (skipped: ${postgresMissing})`

export interface PostgresServer {
  port: number
  folder: string
  /** The connection string of a new, empty database. */
  freshDatabase(): Promise<string>
  /** The connection string of a database of that name, which need not exist. */
  url(database: string): string
  /** Ends the server and keeps its data. `crash` ends it as a power failure would: what was not synced is repaired by the next start. */
  halt(how?: 'stop' | 'crash'): Promise<void>
  /** Starts it again on its port. */
  resume(): Promise<void>
  /** Ends the server and removes its folder. */
  close(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

function start(
  { folder, prefix }: Programs,
  program: string,
  args: string[],
): { child: ChildProcessByStdio<null, Readable, Readable>; output: () => string } {
  const [command, ...rest] = [...prefix, join(folder, program), ...args]
  const child = spawn(command!, rest, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  return { child, output: () => output }
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else {
      child.on('error', reject)
      child.on('close', resolve)
    }
  })

/** Starts the server process; resolves once it accepts connections. */
async function startProcess(found: Programs, data: string, port: number, fsync: boolean): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: fsync ? 'on' : 'off',
    max_connections: '200',
    shared_buffers: '16MB',
    autovacuum: 'off',
    // No process may have to be started for these tests' small queries.
    max_parallel_workers: '0',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { child, output } = start(found, 'postgres', ['-D', data, ...args])
  await new Promise<void>((ready, failed) => {
    child.on('error', failed)
    child.on('close', (code) => failed(new Error(`PostgreSQL ended with code ${code}: ${output()}`)))
    child.stderr.on('data', () => {
      if (output().includes('ready to accept connections')) ready()
    })
  })
  return child
}

/** A new cluster and its server. `fsync: false` is for tests that end no process and want to be quick. */
export async function startPostgres({ fsync = true }: { fsync?: boolean } = {}): Promise<PostgresServer> {
  if ('reason' in programs) throw new Error(programs.reason)
  const found = programs
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-postgres-'))
  const data = join(folder, 'data')
  if (found.owner !== null) await chown(folder, found.owner.uid, found.owner.gid)
  try {
    const init = start(found, 'initdb', [
      '-D',
      data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--no-locale',
      '-N',
    ])
    const code = await ended(init.child)
    if (code !== 0) throw new Error(`initdb ended with code ${code}: ${init.output()}`)
    const port = await freePort()
    let child: ChildProcess | null = await startProcess(found, data, port, fsync)
    const url = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`
    const halt = async (how: 'stop' | 'crash' = 'stop'): Promise<void> => {
      if (child === null) return
      const closed = ended(child)
      child.kill(how === 'stop' ? 'SIGINT' : 'SIGQUIT')
      child = null
      await closed
    }
    return {
      port,
      folder,
      url,
      halt,
      async freshDatabase() {
        const name = `test_${randomBytes(8).toString('hex')}`
        const client = new pg.Client({ connectionString: url('postgres') })
        await client.connect()
        try {
          await client.query(`CREATE DATABASE ${name}`)
        } finally {
          await client.end()
        }
        return url(name)
      },
      async resume() {
        child ??= await startProcess(found, data, port, fsync)
      },
      async close() {
        await halt()
        await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

/** A server for the tests of one file or describe, started when the first of them runs; call it at the top. */
export function usePostgres(options: { fsync?: boolean } = {}): () => PostgresServer {
  let server: PostgresServer | null = null
  beforeAll(async () => {
    if (postgresMissing === null) server = await startPostgres(options)
    // initdb syncs a thousand files: on a busy machine that takes its time.
  }, 180_000)
  // A stop writes everything out, on a busy disk for longer than the usual ten seconds.
  afterAll(() => server?.close(), 60_000)
  return () => {
    if (server === null) throw new Error(postgresMissing ?? 'the PostgreSQL server is not started yet')
    return server
  }
}
