import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { noteText, readJson, replaceFile } from '../kept-files.ts'

// A record of a model's files is kept, so that a start need not hash gigabytes to trust them, and another file at the same address is noticed.

const VERIFIED_RECORD = '.verified.json'

const VerifiedEntry = z.object({ sizeBytes: z.int(), modifiedMs: z.number(), sha256: z.string() })
const VerifiedRecord = z.object({
  version: z.literal(1),
  license: z.string(),
  files: z.record(z.string(), VerifiedEntry),
})
type VerifiedEntry = z.infer<typeof VerifiedEntry>

/** Which files of a model's folder were verified, and how they looked then. */
export interface VerifiedFiles {
  /** The checksum it was verified with, while size and time of the file are still the same. */
  trusted(path: string): Promise<string | null>
  /** The checksum it was verified with, however it looks now. */
  recorded(path: string): string | null
  add(path: string, sha256: string): Promise<void>
  forget(path: string): Promise<void>
}

/** Reads the record of a folder. A record that cannot be read counts as none: its files are hashed again. */
export async function readVerifiedFiles(folder: string, license: string): Promise<VerifiedFiles> {
  const record = join(folder, VERIFIED_RECORD)
  const files = new Map<string, VerifiedEntry>(Object.entries((await readJson(record, VerifiedRecord))?.files ?? {}))
  const save = () => replaceFile(record, noteText({ version: 1, license, files: Object.fromEntries(files) }))
  return {
    async trusted(path) {
      const entry = files.get(path)
      if (entry === undefined) return null
      const now = await stat(join(folder, path)).catch(() => null)
      return now?.size === entry.sizeBytes && now.mtimeMs === entry.modifiedMs ? entry.sha256 : null
    },
    recorded: (path) => files.get(path)?.sha256 ?? null,
    async add(path, sha256) {
      const { size, mtimeMs } = await stat(join(folder, path))
      files.set(path, { sizeBytes: size, modifiedMs: mtimeMs, sha256 })
      await save()
    },
    async forget(path) {
      if (files.delete(path)) await save()
    },
  }
}

const FetchedEntry = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), fetchedAt: z.iso.datetime() })
const FetchedRecord = z.object({ version: z.literal(1), files: z.record(z.string(), FetchedEntry) })
type FetchedEntry = z.infer<typeof FetchedEntry>

/** Checksums at the first download of files without a declared one. */
export interface FirstFetch {
  /** It is recorded in this file; deleting that file accepts whatever comes next. */
  readonly record: string
  /** Null: the file was never fetched. */
  of(path: string): FetchedEntry | null
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
  const files = new Map(text === null ? [] : Object.entries(FetchedRecord.parse(JSON.parse(text)).files))
  return {
    record,
    of: (path) => files.get(path) ?? null,
    async add(path, sha256) {
      files.set(path, { sha256, fetchedAt: new Date().toISOString() })
      await replaceFile(record, noteText({ version: 1, files: Object.fromEntries(files) }))
    },
  }
}
