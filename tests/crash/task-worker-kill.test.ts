import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openPlatformDatabase } from '../../providers/platform/database/platform-database.ts'
import { TaskStore } from '../../providers/platform/tasks/task-store.ts'
import { randomFrom } from '../helpers/random.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { bundledWorker, kill, killRounds } from './kill-workers.ts'

const KILLS = 100
/** Of one process, so that they also compete for tasks. */
const WORKERS_EACH = 2
const SECRET = 'a-signing-secret-of-the-crash-test-with-enough-bytes'

it('100 processes of workers that are killed at random moments lose no task and do none twice', async () => {
  const random = randomFrom(17)
  const folder = await temporaryFolder()
  const file = join(folder, 'platform.sqlite')
  const database = openPlatformDatabase(file)
  // No unique key: a task that is done twice must show.
  database.exec('CREATE TABLE effects (task_id TEXT NOT NULL) STRICT')
  const store = new TaskStore(database, { secret: SECRET, visibilityTimeoutMs: 10_000 })
  const added: string[] = []
  const startWorkers = await bundledWorker('task-worker-child.ts', folder)
  const start = () => startWorkers([file, SECRET, String(WORKERS_EACH)])
  const running = database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status = 'running'`).pluck()
  const interrupted = await killRounds({
    kills: KILLS,
    atOnce: 2,
    random,
    start,
    work() {
      for (let each = 0; each < 4; each += 1)
        added.push(store.add({ kind: 'crash', subject: null, payload: added.length, maxAttempts: 1000 }).id)
    },
    underWay: () => running.get()!,
  })
  // Without kills in the middle of tasks the rounds would show nothing.
  expect(interrupted).toBeGreaterThan(KILLS)

  const last = await start()
  const open = database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status <> 'succeeded'`).pluck()
  while (open.get()! > 0) await delay(20)
  await kill(last)
  const done = database.prepare<[], string>('SELECT task_id FROM effects').pluck().all()
  expect(done.toSorted()).toEqual(added.toSorted())
  expect(added.map((id) => store.get(id)!.result)).toEqual(added.map((_, index) => index))
  database.close()
}, 180_000)
