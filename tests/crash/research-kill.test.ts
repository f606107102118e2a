import { expect, it } from 'vitest'
import { setTimeout as delay } from 'node:timers/promises'
import { RESEARCH } from '../../providers/platform/specified/research/run-research.ts'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { killsOn, openDatabase, recordEnds } from '../helpers/database-address.ts'
import { onEachDatabase } from '../helpers/platform-databases.ts'
import { randomFrom } from '../helpers/random.ts'
import { bundledWorker, kill, killRounds } from './kill-workers.ts'

const SECRET = 'a-signing-secret-of-the-crash-test-with-enough-bytes'

onEachDatabase(
  'a crash',
  (kind) => {
    const KILLS = killsOn(kind.name)
    it(`${KILLS} processes of research that are killed at random moments lose no session and do none twice`, async () => {
      const address = await kind.fresh()
      const database = await openDatabase(address)
      await recordEnds(database, 'tasks', ['succeeded', 'failed', 'cancelled'])
      const store = new TaskStore(database, { secret: SECRET, visibilityTimeoutMs: 10_000 })
      const added: string[] = []
      let next = 0
      const startWorker = await bundledWorker('research-child.ts')
      const start = async () => startWorker([address, SECRET, '2'])
      const running = async () => (await database.all(`SELECT id FROM tasks WHERE status = 'running'`)).length
      const interrupted = await killRounds({
        kills: KILLS,
        atOnce: 2,
        random: randomFrom(17),
        start,
        work: async () => {
          for (let each = 0; each < 2; each += 1) {
            const number = next++
            const query = `How high is wall ${number}?`
            const payload = { query, max_loops: 2, search_api: null }
            added[number] = (await store.add({ kind: RESEARCH, subject: null, payload, maxAttempts: 1000 })).id
          }
        },
        underWay: running,
      })
      // Without kills in the middle of sessions the rounds would show nothing.
      expect(interrupted).toBeGreaterThan(KILLS)

      const last = await start()
      const open = async () =>
        (await database.all(`SELECT id FROM tasks WHERE status IN ('pending', 'running')`)).length
      for (const until = Date.now() + 60_000; (await open()) > 0 && Date.now() < until;) await delay(20)
      await kill(last)
      const done = (await database.all<{ id: string }>('SELECT id FROM ends')).map((row) => row.id)
      expect(done.toSorted()).toEqual(added.toSorted())
      for (const [index, id] of added.entries())
        expect((await store.get(id))!.result).toMatchObject({
          query: `How high is wall ${index}?`,
          answer: 'It is three metres high.',
          findings: [{ sources: [1] }, { query: 'wall', sources: [2] }],
        })
      await database.close()
    }, 300_000)
  },
  { fsync: true },
)
