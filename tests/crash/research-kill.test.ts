import { expect, it } from 'vitest'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { openPlatformDatabase } from '../../providers/platform/database/platform-database.ts'
import { RESEARCH } from '../../providers/platform/research/run-research.ts'
import { TaskStore } from '../../providers/platform/tasks/task-store.ts'
import { randomFrom } from '../helpers/random.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { bundledWorker, kill, killRounds } from './kill-workers.ts'

const KILLS = 100
const SECRET = 'a-signing-secret-of-the-crash-test-with-enough-bytes'

it('100 processes of research that are killed at random moments lose no session and do none twice', async () => {
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
  const startWorker = await bundledWorker('research-child.ts', folder)
  const start = async () => startWorker([file, SECRET, '2'])
  const running = database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status = 'running'`).pluck()
  const interrupted = await killRounds({
    kills: KILLS,
    atOnce: 2,
    random: randomFrom(17),
    start,
    work: () => {
      for (let each = 0; each < 2; each += 1) {
        const query = `How high is wall ${added.length}?`
        const payload = { query, max_loops: 2, search_api: null }
        added.push(store.add({ kind: RESEARCH, subject: null, payload, maxAttempts: 1000 }).id)
      }
    },
    underWay: () => running.get()!,
  })
  // Without kills in the middle of sessions the rounds would show nothing.
  expect(interrupted).toBeGreaterThan(KILLS)

  const last = await start()
  const open = database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status IN ('pending', 'running')`).pluck()
  for (const until = Date.now() + 60_000; open.get()! > 0 && Date.now() < until;) await delay(20)
  await kill(last)
  const done = database.prepare<[], string>('SELECT id FROM ends').pluck().all()
  expect(done.toSorted()).toEqual(added.toSorted())
  for (const [index, id] of added.entries())
    expect(store.get(id)!.result).toMatchObject({
      query: `How high is wall ${index}?`,
      answer: 'It is three metres high.',
      findings: [{ sources: [1] }, { query: 'wall', sources: [2] }],
    })
  database.close()
}, 180_000)
