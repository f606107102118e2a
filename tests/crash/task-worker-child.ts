// Several workers, each with a connection of its own, do the tasks of one database until the process is killed. A task adds one row to
// `effects` in the transaction that ends it.
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../helpers/database-address.ts'
import type { Queries } from '../../providers/platform/stores/database/database.ts'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { TaskWorker } from '../../providers/platform/jobs/task-worker.ts'

const [file, secret, workers] = [process.argv[2]!, process.argv[3]!, Number(process.argv[4])]
for (let worker = 0; worker < workers; worker += 1) void startWorker()

async function startWorker(): Promise<void> {
  const database = await openDatabase(file)
  new TaskWorker({
    store: new TaskStore(database, { secret, leaseMs: 60, visibilityTimeoutMs: 10_000 }),
    settings: { concurrency: 2, prefetchMultiplier: 2, softLimitMs: 5000, hardLimitMs: 6000 },
    pollMs: 10,
    handlers: {
      async crash({ task }) {
        await delay(1 + Math.random() * 15)
        const effects = async (tx: Queries): Promise<void> => {
          await tx.run('INSERT INTO effects (task_id) VALUES (?)', [task.id])
        }
        return { result: task.payload, effects }
      },
    },
  }).start()
  process.stdout.write('ready\n')
}
