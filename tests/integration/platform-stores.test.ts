import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { CONFIG_EXIT_CODE } from '../../core/process-exit.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import { programFile } from '../helpers/program.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

/** The state folder that a platform left. */
let left: string
let folder: string
let state: string
beforeAll(async () => {
  left = await mkdtemp(join(tmpdir(), 'stores-left-'))
  const platform = await startPlatformProcess(environment(left))
  await platform.stop()
})
afterAll(() => rm(left, { recursive: true, force: true }))
beforeEach(async () => {
  folder = await temporaryFolder('stores')
  state = join(folder, 'state')
})

const environment = (stateDir: string): Record<string, string> => ({
  RAG_LADDER_STATE_DIR: stateDir,
  RAG_INGESTION_CORPUS_ROOT: join(PROJECT_ROOT, 'corpus'),
  RAG_PROFILE: 'smoke',
  BACKEND_INTERNAL_API_TOKEN: 'token-of-the-operator',
})

/** Returns how a platform ends that cannot start. */
async function refusal(
  stateDir = state,
  command: readonly [string, ...string[]] = [process.execPath],
): Promise<{ code: number | null; output: string }> {
  const [program, ...args] = command
  const child = spawn(program, [...args, programFile('providers/platform/index.ts')], {
    env: { ...process.env, ...environment(stateDir), PLATFORM_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString()
      // It started after all: the test must fail, not wait.
      if (output.includes('"ready"')) child.kill()
    })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

/** Stores as a platform left them. */
const stores = (): Promise<void> => cp(left, state, { recursive: true, preserveTimestamps: true })

const STORES = ['vectors.sqlite', 'ingestion.sqlite', 'rag/blurbs.sqlite', 'memory-vectors.sqlite']

describe('a platform whose store cannot be used ends at once, with the file, the reason and what to do', () => {
  it.each(STORES)('random bytes in %s', async (name) => {
    await stores()
    await writeFile(join(state, name), randomBytes(100_000))
    const { code, output } = await refusal()
    expect(code).toBe(CONFIG_EXIT_CODE)
    expect(output).toContain(join(state, name))
    expect(output).toMatch(/not a database.*cold reset/s)
    expect(output).not.toMatch(/^\s+at |"stack"|platform\.sqlite/m)
  })

  it.each(STORES.slice(0, 2))('a later version of %s', async (name) => {
    await stores()
    const database = new Database(join(state, name))
    database.pragma('user_version = 9999')
    database.close()
    const { code, output } = await refusal()
    expect(code).toBe(CONFIG_EXIT_CODE)
    expect(output).toContain(join(state, name))
    expect(output).toMatch(/version.*9999/s)
  })

  it('a truncated vectors.sqlite', async () => {
    await stores()
    const file = join(state, 'vectors.sqlite')
    await truncate(file, Math.floor((await readFile(file)).length / 2))
    const { code, output } = await refusal()
    expect(code).toBe(CONFIG_EXIT_CODE)
    expect(output).toContain(file)
    expect(output).toMatch(/malformed.*cold reset/s)
  })

  it.skipIf(process.platform === 'win32')('too few files that may be open', async () => {
    const limited = ['sh', '-c', 'ulimit -n 40; exec "$0" "$1"', process.execPath] as const
    const { code, output } = await refusal(state, limited)
    expect(code).toBe(CONFIG_EXIT_CODE)
    expect(output).toMatch(/too few files may be open.*ulimit -n/)
  })

  it('a folder where a store should be, and a state folder whose path is too long', async () => {
    await mkdir(join(state, 'vectors.sqlite'), { recursive: true })
    const inTheWay = await refusal()
    expect(inTheWay.code).toBe(CONFIG_EXIT_CODE)
    expect(inTheWay.output).toContain(join(state, 'vectors.sqlite'))
    const long = join(folder, ...Array.from({ length: 5 }, () => 'x'.repeat(120)))
    const tooLong = await refusal(long)
    expect(tooLong.code).toBe(CONFIG_EXIT_CODE)
    expect(tooLong.output).toMatch(/shorter path/)
  })
})

describe('a ladder whose platform cannot use a store', () => {
  it('ends without restarts and shows the sentence with the reason', async () => {
    const root = await smokeProject()
    const store = join(root, '.rag-ladder/platform/smoke/vectors.sqlite')
    await mkdir(join(root, '.rag-ladder/platform/smoke'), { recursive: true, mode: 0o700 })
    await writeFile(store, randomBytes(100_000))
    const run = await runCli(['ladder', '--project', root, '--dataset', 'smoke', '--no-publish', '--no-cold-reset'])
    await rm(root, { recursive: true, force: true })
    expect(run.code).toBe(2)
    expect(run.stdout).toContain(store)
    expect(run.stdout).not.toContain('started again')
  })
})
