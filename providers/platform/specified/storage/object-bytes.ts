import { mkdirSync } from 'node:fs'
import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { syncFolder } from '../../../kit/kept-files.ts'
import type { ReceivedFile } from './receive-file.ts'

/** The place of an object's bytes. `key`: letters, digits, hyphens and slashes, never a name of a sender. */
export interface BytesPlace {
  bucket: string
  key: string
}

/**
 * Stores the bytes of objects in files of this machine or an S3 service. Bytes are written once under a key of their own, so that nothing changes
 * what an object refers to. Methods throw `BytesUnavailableError`.
 */
export interface ObjectBytes {
  /** Stores a received file; it is durable when this resolves. The temporary file may be gone then. */
  write(place: BytesPlace, file: ReceivedFile): Promise<void>
  read(place: BytesPlace): Promise<Readable>
  /** Nothing to remove is not an error. */
  remove(place: BytesPlace): Promise<void>
  /** Throws when the bytes cannot be reached. */
  probe(): Promise<void>
  close(): void
}

/** The disk or service that holds the bytes refuses, or does not answer. */
export class BytesUnavailableError extends Error {
  override readonly name = 'BytesUnavailableError'
}

/** Bytes as files: a folder for each bucket. */
export function folderBytes(folder: string): ObjectBytes {
  mkdirSync(folder, { recursive: true })
  const pathOf = ({ bucket, key }: BytesPlace): string => join(folder, bucket, ...key.split('/'))
  return {
    write: async (place, file) =>
      orUnavailable(async () => {
        const path = pathOf(place)
        const made = await mkdir(dirname(path), { recursive: true })
        await rename(file.temporaryFile, path)
        // The row that is stored next must not outlive a name that a power cut takes away.
        await syncFolder(dirname(path))
        if (made !== undefined) for (const parent of [join(folder, place.bucket), folder]) await syncFolder(parent)
      }),
    read: async (place) =>
      orUnavailable(async () => (await open(pathOf(place))).createReadStream() as unknown as Readable),
    remove: async (place) => orUnavailable(() => rm(pathOf(place), { force: true })),
    probe: async () => orUnavailable(() => access(folder)),
    close: () => {},
  }
}

async function orUnavailable<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
    throw new BytesUnavailableError((error as Error).message, { cause: error })
  }
}
