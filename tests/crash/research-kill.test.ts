import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openPlatformDatabase } from '../../providers/platform/database/platform-database.ts'
import { RESEARCH } from '../../providers/platform/research/run-research.ts'
import { TaskStore } from '../../providers/platform/tasks/task-store.ts'
import { randomFrom } from '../helpers/random.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** Workers die with their process: to start a process takes long, so each has several of them. */
const PROCESSES = 14
const WORKERS_EACH = 8
const AT_ONCE = 2
const SECRET = 'a-signing-secret-of-the-crash-test-with-enough-bytes'

it('112 workers of research that are killed at random moments lose no session and do none twice', async () => {
  const random = randomFrom(17)
  const folder = await temporaryFolder()
  const file = join(folder, 'platform.sqlite')
  const database = openPlatformDatabase(file)
  // No unique key: a session that ends twice must show.
  database.exec(
    `CREATE TABLE ends (id TEXT NOT NULL) STRICT;
     CREATE TRIGGER ended AFTER UPDATE OF status ON tasks WHEN NEW.status IN ('succeeded', 'failed', 'cancelled')
     BEGIN INSERT INTO ends (id) VALUES (NEW.id); END`,
  )
  const store = new TaskStore(database, { secret: SECRET, visibilityTimeoutMs: 10_000 })
  const added: string[] = []
  const start = () => {
    const script = join(import.meta.dirname, 'research-child.ts')
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
    return spawn(process.execPath, [script, file, SECRET, String(WORKERS_EACH)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  let interrupted = 0
  let kills = 0
  const rounds = async (): Promise<void> => {
    while (kills < PROCESSES) {
      kills += 1
      for (let each = 0; each < 6; each += 1)
        added.push(
          store.add({
            kind: RESEARCH,
            subject: null,
            payload: { query: `How high is wall ${added.length}?`, max_loops: 2, search_api: null },
            maxAttempts: 1000,
          }).id,
        )
      const child = start()
      const exited = once(child, 'exit')
      await once(child.stdout, 'data')
      await delay(random() * 40)
      child.kill('SIGKILL')
      expect((await exited)[1]).toBe('SIGKILL')
      interrupted += database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status = 'running'`).pluck().get()!
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, rounds))
  // Without kills in the middle of sessions the rounds would show nothing.
  expect(interrupted).toBeGreaterThan(PROCESSES)

  const last = start()
  const open = database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status IN ('pending', 'running')`).pluck()
  while (open.get()! > 0) await delay(20)
  last.kill('SIGKILL')
  await once(last, 'exit')
  const done = database.prepare<[], string>('SELECT id FROM ends').pluck().all()
  expect(done.toSorted()).toEqual(added.toSorted())
  for (const [index, id] of added.entries())
    expect(store.get(id)!.result).toMatchObject({
      query: `How high is wall ${index}?`,
      answer: 'It is three metres high.',
      findings: [{ sources: [1] }, { query: 'wall', sources: [2] }],
    })
  database.close()
}, 60_000)
