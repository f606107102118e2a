import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { noteText, readJson, replaceFile } from '../kept-files.ts'

const RECORD = '.verified.json'

const Entry = z.object({ sizeBytes: z.int(), modifiedMs: z.number(), sha256: z.string() })
const Record = z.object({ version: z.literal(1), license: z.string(), files: z.record(z.string(), Entry) })
type Entry = z.infer<typeof Entry>

/** Which files of a model's folder were verified, and how they looked then: a start need not hash gigabytes to trust them. */
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
  const record = join(folder, RECORD)
  const files = new Map<string, Entry>(Object.entries((await readJson(record, Record))?.files ?? {}))
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
