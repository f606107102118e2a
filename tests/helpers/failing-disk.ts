import { truncate } from 'node:fs/promises'
import { nodeFileOps, type FileOps, type LogFile } from '../../main/evidence/files/file-ops.ts'

/** Describes what the disk does instead of its work; unset hooks leave it alone. Switch them while it is in use. */
export interface DiskFaults {
  /** Bytes of the write that go in: fewer make a short write. Throw to fail it. */
  write?: (path: string, bytes: Buffer) => number | Promise<number>
  sync?: (path: string) => void | Promise<void>
  truncate?: (path: string) => void
  open?: (path: string) => void
  /** Leaves syncs out, for tests of content that would wait for thousands of them. */
  skipSyncs?: boolean
}

/** An error as the system makes it. */
export const systemError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code })

/** The real disk with faults to switch on. */
export function failingDisk(faults: DiskFaults): FileOps {
  const wrap = (path: string, file: LogFile): LogFile => ({
    read: (into, start, length, position) => file.read(into, start, length, position),
    async write(bytes) {
      const count = (await faults.write?.(path, bytes)) ?? bytes.length
      return file.write(bytes.subarray(0, count))
    },
    async sync() {
      await faults.sync?.(path)
      if (faults.skipSyncs !== true) await file.sync()
    },
    state: () => file.state(),
    close: () => file.close(),
  })
  const opening = (how: 'openAppend' | 'openRead' | 'openNew') => async (path: string) => {
    faults.open?.(path)
    return wrap(path, await nodeFileOps[how](path))
  }
  return {
    ...nodeFileOps,
    openAppend: opening('openAppend'),
    openRead: opening('openRead'),
    openNew: opening('openNew'),
    async truncate(path, sizeBytes) {
      faults.truncate?.(path)
      if (faults.skipSyncs === true) await truncate(path, sizeBytes)
      else await nodeFileOps.truncate(path, sizeBytes)
    },
    syncFolderOf: async (path) => {
      if (faults.skipSyncs !== true) await nodeFileOps.syncFolderOf(path)
    },
  }
}
