// One worker runs the media operations of one database until the process is killed.
import { openDatabase } from '../helpers/database-address.ts'
import { BudgetLedger } from '../../providers/platform/specified/media/budget-ledger.ts'
import { falClient } from '../../providers/platform/specified/media/fal-client.ts'
import type { BudgetSettings } from '../../providers/platform/specified/media/media-settings.ts'
import { OperationStore } from '../../providers/platform/specified/media/operation-store.ts'
import { MEDIA, runMedia } from '../../providers/platform/specified/media/run-operation.ts'
import { join } from 'node:path'
import { folderBytes } from '../../providers/platform/specified/storage/object-bytes.ts'
import { ObjectStore } from '../../providers/platform/specified/storage/object-store.ts'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { TaskWorker } from '../../providers/platform/jobs/task-worker.ts'

const [file, secret, storage, endpoint, settings] = process.argv.slice(2) as [string, string, string, string, string]
void (async () => {
  const database = await openDatabase(file)
  const budget: BudgetSettings = { ...(JSON.parse(settings) as BudgetSettings), caps: new Map() }
  const handler = runMedia({
    operations: new OperationStore(database, new BudgetLedger(database, budget)),
    objects: new ObjectStore({
      database,
      bytes: folderBytes(storage),
      incoming: join(storage, '.incoming'),
      settings: { buckets: [], quotaBytes: 1_000_000 },
    }),
    providers: { fal: falClient({ endpoint, apiKey: 'key' }), local: null },
    imageMaxBytes: 1000,
    fileMaxBytes: 1000,
    pollMs: 3,
  })
  new TaskWorker({
    store: new TaskStore(database, { secret, leaseMs: 200, visibilityTimeoutMs: 10_000 }),
    settings: { concurrency: 4, prefetchMultiplier: 1, softLimitMs: 20_000, hardLimitMs: 30_000 },
    pollMs: 5,
    handlers: { [MEDIA]: handler },
  }).start()
  process.stdout.write('ready\n')
})()
