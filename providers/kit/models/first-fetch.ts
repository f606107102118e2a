import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { noteText, replaceFile } from '../kept-files.ts'

const Entry = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), fetchedAt: z.iso.datetime() })
const Record = z.object({ version: z.literal(1), files: z.record(z.string(), Entry) })
type Entry = z.infer<typeof Entry>

/** What files that nobody has declared a checksum of were at their first fetch. */
export interface FirstFetch {
  /** Where it is recorded; deleting that file accepts whatever comes next. */
  readonly record: string
  /** Null: the file was never fetched. */
  of(path: string): Entry | null
  add(path: string, sha256: string): Promise<void>
}

/** The record's place: beside the model's folder, so that it outlives the removal of the model. */
export const firstFetchRecord = (folder: string): string => `${folder}.first-fetch.json`

/** Reads the record of a model's folder. Rejects where there is one that cannot be read: taken for none, it would let anything in. */
export async function readFirstFetch(folder: string): Promise<FirstFetch> {
  const record = firstFetchRecord(folder)
  const text = await readFile(record, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  })
  const files = new Map(text === null ? [] : Object.entries(Record.parse(JSON.parse(text)).files))
  return {
    record,
    of: (path) => files.get(path) ?? null,
    async add(path, sha256) {
      files.set(path, { sha256, fetchedAt: new Date().toISOString() })
      await replaceFile(record, noteText({ version: 1, files: Object.fromEntries(files) }))
    },
  }
}
