// Stores and removes objects until the process is killed; equal bytes come again and again.
import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteDatabase } from '../../providers/platform/stores/database/sqlite-database.ts'
import { folderBytes } from '../../providers/platform/specified/storage/object-bytes.ts'
import { ObjectStore } from '../../providers/platform/specified/storage/object-store.ts'
import { s3Bytes } from '../../providers/platform/specified/storage/s3-bytes.ts'
import type { S3Settings } from '../../providers/platform/specified/storage/storage-settings.ts'

const [file, storage, s3] = process.argv.slice(2) as [string, string, string]
const service = JSON.parse(s3) as S3Settings | null
const store = new ObjectStore({
  database: openSqliteDatabase(file),
  bytes: service === null ? folderBytes(storage) : s3Bytes(service),
  incoming: join(storage, '.incoming'),
  settings: { buckets: ['default'], quotaBytes: 1_000_000_000 },
})
process.stdout.write('ready\n')
void (async () => {
  for (;;)
    await work().catch((error: unknown) => {
      // Another process was writing for longer than SQLite waits, on a slow disk.
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    })
})()

async function work(): Promise<void> {
  const text = `content ${Math.floor(Math.random() * 4)}`
  const temporaryFile = join(store.incoming, randomUUID())
  await writeFile(temporaryFile, text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const name = randomUUID()
  await store.put(
    { bucket: 'default', name, subject: null },
    { filename: name, mediaType: null, temporaryFile, sizeBytes: text.length, sha256 },
  )
  if (Math.random() < 0.6) await store.remove('default', name)
}
