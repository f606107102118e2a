import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BudgetLedger } from '../../providers/platform/specified/media/budget-ledger.ts'
import type { BudgetSettings } from '../../providers/platform/specified/media/media-settings.ts'
import { isEnded, OperationStore } from '../../providers/platform/specified/media/operation-store.ts'
import { ARTIFACTS, MEDIA, MEDIA_ATTEMPTS } from '../../providers/platform/specified/media/run-operation.ts'
import { folderBytes } from '../../providers/platform/specified/storage/object-bytes.ts'
import { ObjectStore } from '../../providers/platform/specified/storage/object-store.ts'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { repeat } from '../../providers/platform/jobs/repeat.ts'
import { startFakeMediaProvider } from '../helpers/fake-media-provider.ts'
import { killsOn, openDatabase, recordEnds } from '../helpers/database-address.ts'
import { onEachDatabase } from '../helpers/platform-databases.ts'
import { randomFrom } from '../helpers/random.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { bundledWorker, kill, killRounds } from './kill-workers.ts'

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

onEachDatabase(
  'a crash',
  (kind) => {
    const KILLS = killsOn(kind.name)
    it(`${KILLS} processes of media that are killed at random moments lose no operation, pay for none twice and leak no budget`, async () => {
      const folder = await temporaryFolder()
      const address = await kind.fresh()
      const database = await openDatabase(address)
      await recordEnds(database, 'media_operations', ['succeeded', 'failed', 'cancelled', 'timeout'])
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
      let next = 0
      const add = async (what: 'hosted' | 'endless'): Promise<void> => {
        const id = randomUUID()
        const prompt = `picture ${next++}`
        const price = PRICE
        await operations.add(
          {
            id,
            subject: null,
            consumer: 'atlas',
            project: null,
            provider: 'fal',
            model: 'owner/app',
            modality: 'audio',
            price,
            reserved: price,
            license: null,
            provenance: {},
            deadlineMs: Date.now() + 60_000,
          },
          (tx) =>
            tasks.add(
              {
                id,
                kind: MEDIA,
                subject: null,
                payload: { input: { prompt, endless: what === 'endless' } },
                maxAttempts: MEDIA_ATTEMPTS,
              },
              tx,
            ),
        )
        added.push({ id, prompt })
        if (what === 'endless') endless.add(id)
      }
      const startWorker = await bundledWorker('media-child.ts')
      const start = async () => startWorker([address, SECRET, storage, provider.url, JSON.stringify(BUDGET)])
      const running = async () => (await database.all(`SELECT id FROM tasks WHERE status = 'running'`)).length
      const stopCancelling = repeat(async () => {
        for (const id of endless)
          if ((await operations.get(id))!.status === 'running') await operations.requestCancel(id)
      }, 50)
      const interrupted = await killRounds({
        kills: KILLS,
        atOnce: 2,
        random,
        start,
        work: async () => {
          for (const what of ['hosted', 'hosted', 'endless'] as const) await add(what)
        },
        underWay: running,
      })
      // Without kills in the middle of operations the rounds would show nothing.
      expect(interrupted).toBeGreaterThan(KILLS / 2)

      const last = await start()
      const waiting = async () =>
        (
          await database.all(
            `SELECT id FROM media_operations WHERE status IN ('queued', 'submitting', 'running', 'cancellation_requested')`,
          )
        ).length
      // On a busy machine the last operations took more than a minute.
      for (const until = Date.now() + 150_000; (await waiting()) > 0 && Date.now() < until;) await delay(20)
      await kill(last)
      await stopCancelling()

      // A person asks the provider what became of the submissions whose answer was lost.
      const taken = new Map(provider.requests.map((request) => [request.input['prompt'], request]))
      expect(provider.requests).toHaveLength(taken.size)
      for (const { id, prompt } of added) {
        if ((await operations.get(id))!.status !== 'submission_unknown') continue
        expect(await ledger.find(id)).toMatchObject({ state: 'reserved', reserved_micro: PRICE })
        const settlement = taken.has(prompt)
          ? ({ state: 'committed', cost: PRICE } as const)
          : ({ state: 'released' } as const)
        await operations.end(id, { status: 'failed', settlement })
      }

      const ends = (await database.all<{ id: string }>('SELECT id FROM ends')).map((row) => row.id)
      expect(ends.toSorted()).toEqual(added.map(({ id }) => id).toSorted())
      expect(await ledger.reserved()).toEqual([])
      const charged = provider.requests.filter(({ state }) => state !== 'cancelled').length
      expect(await ledger.totals(null)).toEqual([
        { scope: 'atlas', reserved: 0, committed: charged * PRICE, recoveries: 0, cap: null },
      ])
      let succeeded = 0
      for (const { id } of added) {
        const operation = (await operations.get(id))!
        expect(isEnded(operation)).toBe(true)
        if (operation.status !== 'succeeded') continue
        succeeded += 1
        const [artifact] = operation.artifacts
        const bytes = await text(await objects.read((await objects.find(ARTIFACTS, artifact!.name))!))
        expect(bytes).toBe('sound')
      }
      expect(succeeded).toBeGreaterThan(KILLS)
      // The rounds also show what a cancellation stopped at the provider.
      expect(provider.requests.some(({ state }) => state === 'cancelled')).toBe(true)
      await provider.close()
      await database.close()
    }, 300_000)
  },
  { fsync: true },
)
