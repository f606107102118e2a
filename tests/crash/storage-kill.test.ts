import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openSqliteDatabase } from '../../providers/platform/stores/database/sqlite-database.ts'
import { folderBytes } from '../../providers/platform/specified/storage/object-bytes.ts'
import { ObjectStore } from '../../providers/platform/specified/storage/object-store.ts'
import { s3Bytes } from '../../providers/platform/specified/storage/s3-bytes.ts'
import { randomFrom } from '../helpers/random.ts'
import { timesOf } from '../helpers/repetitions.ts'
import { startS3Server } from '../helpers/s3-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { bundledWorker, killRounds } from './kill-workers.ts'

const KILLS = timesOf('processes that store objects are killed')

it.each(['files in a folder', 'an S3 service'])(
  `${KILLS} processes that are killed while they store and remove objects leave no object without bytes (%s)`,
  async (where) => {
    const folder = await temporaryFolder()
    const [file, storage] = [join(folder, 'platform.sqlite'), join(folder, 'storage')]
    const server = where === 'an S3 service' ? await startS3Server(join(folder, 's3')) : null
    const bytes = server === null ? folderBytes(storage) : s3Bytes(server.settings)
    const database = openSqliteDatabase(file)
    const store = new ObjectStore({
      database,
      bytes,
      incoming: join(storage, '.incoming'),
      settings: { buckets: ['default'], quotaBytes: 1_000_000_000 },
    })
    const startWorker = await bundledWorker('storage-child.ts')
    const loose = async () => (await database.all('SELECT * FROM loose_bytes')).length
    const interrupted = await killRounds({
      kills: KILLS,
      atOnce: 2,
      random: randomFrom(31),
      // The first upload of a process takes long: it loads the SDK.
      withinMs: server === null ? 300 : 1500,
      start: () => startWorker([file, storage, JSON.stringify(server?.settings ?? null)]),
      work: async () => {},
      underWay: async () => ((await loose()) > 0 ? 1 : 0),
    })
    // Without kills in the middle of an upload or a removal the rounds would show nothing.
    expect(interrupted).toBeGreaterThan(KILLS / 4)

    const rows = await database.all<{ name: string; sha256: string; content_key: string }>('SELECT * FROM objects')
    expect(rows.length).toBeGreaterThan(KILLS / 10)
    for (const { name, sha256 } of rows) {
      const stored = await text(await store.read((await store.find('default', name))!))
      expect(createHash('sha256').update(stored).digest('hex')).toBe(sha256)
    }
    // The bytes that the kills left are known, and go when their time has come.
    await store.sweep(-1)
    expect(await loose()).toBe(0)
    const keys =
      server === null
        ? readdirSync(join(storage, 'default'), { recursive: true, withFileTypes: true })
            .filter((each) => each.isFile())
            .map(({ name }) => name)
        : (await server.keys()).map((key) => key.split('/').at(-1)!)
    expect(keys.toSorted()).toEqual([...new Set(rows.map(({ content_key: key }) => key.slice(3)))].toSorted())
    bytes.close()
    await database.close()
    await server?.close()
  },
  300_000,
)
