import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openPlatformDatabase } from '../../providers/platform/database/platform-database.ts'
import { BudgetLedger } from '../../providers/platform/media/budget-ledger.ts'
import type { BudgetSettings } from '../../providers/platform/media/media-settings.ts'
import { isEnded, OperationStore } from '../../providers/platform/media/operation-store.ts'
import { ARTIFACTS, MEDIA, MEDIA_ATTEMPTS } from '../../providers/platform/media/run-operation.ts'
import { folderBytes } from '../../providers/platform/storage/object-bytes.ts'
import { ObjectStore } from '../../providers/platform/storage/object-store.ts'
import { TaskStore } from '../../providers/platform/tasks/task-store.ts'
import { startFakeMediaProvider } from '../helpers/fake-media-provider.ts'
import { randomFrom } from '../helpers/random.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { bundledWorker, kill, killRounds } from './kill-workers.ts'

const KILLS = 100
const PRICE = 3000
const SECRET = 'a-signing-secret-of-the-crash-test-with-enough-bytes'
const BUDGET: BudgetSettings = {
  enabled: true,
  store: 'database',
  currency: 'USD',
  defaultCap: null,
  caps: new Map(),
  allowUnknownCost: false,
  retentionMs: null,
}

it('100 processes of media that are killed at random moments lose no operation, pay for none twice and leak no budget', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'platform.sqlite')
  const database = openPlatformDatabase(file)
  // No unique key: an operation that ends twice must show.
  database.exec(
    `CREATE TABLE ends (id TEXT NOT NULL) STRICT;
     CREATE TRIGGER ended AFTER UPDATE OF status ON media_operations
     WHEN NEW.status IN ('succeeded', 'failed', 'cancelled', 'timeout') BEGIN INSERT INTO ends (id) VALUES (NEW.id); END`,
  )
  const random = randomFrom(29)
  const provider = await startFakeMediaProvider([{ bytes: Buffer.from('sound'), type: 'audio/mpeg' }])
  Object.assign(provider.behaviour, { delayMs: 2, completesAfterMs: 15 })
  const tasks = new TaskStore(database, { secret: SECRET, visibilityTimeoutMs: 10_000 })
  const ledger = new BudgetLedger(database, BUDGET)
  const operations = new OperationStore(database, ledger)
  const storage = join(folder, 'storage')
  const objects = new ObjectStore({
    database,
    bytes: folderBytes(storage),
    incoming: join(storage, '.incoming'),
    settings: { buckets: [], quotaBytes: 1_000_000 },
  })
  const added: { id: string; prompt: string }[] = []
  const endless = new Set<string>()
  const add = (kind: 'local' | 'hosted' | 'endless'): void => {
    const isLocal = kind === 'local'
    const id = randomUUID()
    const prompt = `picture ${added.length}`
    const price = isLocal ? 0 : PRICE
    operations.add(
      {
        id,
        subject: null,
        consumer: 'atlas',
        project: null,
        provider: isLocal ? 'local' : 'fal',
        model: isLocal ? 'pattern-1' : 'owner/app',
        modality: isLocal ? 'image' : 'audio',
        price,
        reserved: price,
        license: null,
        provenance: {},
        deadlineMs: Date.now() + 60_000,
      },
      () =>
        tasks.add({
          id,
          kind: MEDIA,
          subject: null,
          payload: { input: isLocal ? { prompt } : { prompt, endless: kind === 'endless' } },
          maxAttempts: MEDIA_ATTEMPTS,
        }),
    )
    added.push({ id, prompt })
    if (kind === 'endless') endless.add(id)
  }
  const startWorker = await bundledWorker('media-child.ts', folder)
  const start = async () => startWorker([file, SECRET, storage, provider.url, JSON.stringify(BUDGET)])
  const running = database.prepare<[], number>(`SELECT count(*) FROM tasks WHERE status = 'running'`).pluck()
  const cancelling = setInterval(() => {
    for (const id of endless) if (operations.get(id)!.status === 'running') operations.requestCancel(id)
  }, 50)
  const interrupted = await killRounds({
    kills: KILLS,
    atOnce: 2,
    random,
    start,
    work: () => {
      for (const kind of ['local', 'hosted', 'endless'] as const) add(kind)
    },
    underWay: () => running.get()!,
  })
  // Without kills in the middle of operations the rounds would show nothing.
  expect(interrupted).toBeGreaterThan(KILLS / 2)

  const last = await start()
  const waiting = database
    .prepare<[], number>(
      `SELECT count(*) FROM media_operations WHERE status IN ('queued', 'submitting', 'running', 'cancellation_requested')`,
    )
    .pluck()
  for (const until = Date.now() + 60_000; waiting.get()! > 0 && Date.now() < until;) await delay(20)
  await kill(last)
  clearInterval(cancelling)

  // A person asks the provider what became of the submissions whose answer was lost.
  const taken = new Map(provider.requests.map((request) => [request.input['prompt'], request]))
  expect(provider.requests).toHaveLength(taken.size)
  for (const { id, prompt } of added.filter((each) => operations.get(each.id)!.status === 'submission_unknown')) {
    expect(ledger.find(id)).toMatchObject({ state: 'reserved', reserved_micro: PRICE })
    const settlement = taken.has(prompt)
      ? ({ state: 'committed', cost: PRICE } as const)
      : ({ state: 'released' } as const)
    operations.end(id, { status: 'failed', settlement })
  }

  const ends = database.prepare<[], string>('SELECT id FROM ends').pluck().all()
  expect(ends.toSorted()).toEqual(added.map(({ id }) => id).toSorted())
  expect(ledger.reserved()).toEqual([])
  const charged = provider.requests.filter(({ state }) => state !== 'cancelled').length
  expect(ledger.totals(null)).toEqual([
    { scope: 'atlas', reserved: 0, committed: charged * PRICE, recoveries: 0, cap: null },
  ])
  for (const { id, prompt } of added) {
    const operation = operations.get(id)!
    expect(isEnded(operation)).toBe(true)
    if (operation.status !== 'succeeded') continue
    const [artifact] = operation.artifacts
    const bytes = await text(await objects.read(objects.find(ARTIFACTS, artifact!.name)!))
    expect(bytes).toBe(operation.provider === 'local' ? prompt : 'sound')
  }
  const succeeded = added.filter(({ id }) => operations.get(id)!.status === 'succeeded')
  expect(succeeded.length).toBeGreaterThan(KILLS)
  // What a cancellation stopped at the provider is part of what the rounds show.
  expect(provider.requests.some(({ state }) => state === 'cancelled')).toBe(true)
  await provider.close()
  database.close()
}, 180_000)
