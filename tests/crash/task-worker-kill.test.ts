import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { killsOn, openDatabase } from '../helpers/database-address.ts'
import { onEachDatabase } from '../helpers/platform-databases.ts'
import { randomFrom } from '../helpers/random.ts'
import { bundledWorker, kill, killRounds } from './kill-workers.ts'

/** Of one process, so that they also compete for tasks. */
const WORKERS_EACH = 2
const SECRET = 'a-signing-secret-of-the-crash-test-with-enough-bytes'

onEachDatabase(
  'a crash',
  (kind) => {
    const KILLS = killsOn(kind.name)
    it(`${KILLS} processes of workers that are killed at random moments lose no task and do none twice`, async () => {
      const random = randomFrom(17)
      const address = await kind.fresh()
      const database = await openDatabase(address)
      // No unique key: a task that is done twice must show.
      await database.run('CREATE TABLE effects (task_id TEXT NOT NULL)')
      const store = new TaskStore(database, { secret: SECRET, visibilityTimeoutMs: 10_000 })
      const added: string[] = []
      let next = 0
      const startWorkers = await bundledWorker('task-worker-child.ts')
      const start = () => startWorkers([address, SECRET, String(WORKERS_EACH)])
      const running = async () => (await database.all(`SELECT id FROM tasks WHERE status = 'running'`)).length
      const interrupted = await killRounds({
        kills: KILLS,
        atOnce: 2,
        random,
        start,
        async work() {
          for (let each = 0; each < 4; each += 1) {
            const payload = next++
            added[payload] = (await store.add({ kind: 'crash', subject: null, payload, maxAttempts: 1000 })).id
          }
        },
        underWay: running,
      })
      // Without kills in the middle of tasks the rounds would show nothing.
      expect(interrupted).toBeGreaterThan(KILLS)

      const last = await start()
      const open = async () => (await database.all(`SELECT id FROM tasks WHERE status <> 'succeeded'`)).length
      while ((await open()) > 0) await delay(20)
      await kill(last)
      const done = (await database.all<{ task_id: string }>('SELECT task_id FROM effects')).map((row) => row.task_id)
      expect(done.toSorted()).toEqual(added.toSorted())
      for (const [index, id] of added.entries()) expect((await store.get(id))!.result).toBe(index)
      await database.close()
    }, 300_000)
  },
  { fsync: true },
)
