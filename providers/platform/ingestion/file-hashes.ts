import type { Database } from '../stores/database/database.ts'
import type { KnownHashes } from './corpus.ts'

/** A file that was changed this shortly before it was read may have changed again with the same times. */
const UNSETTLED_NS = 2_000_000_000

/** Hashes of corpus files as they were read before, in the file of jobs. A power cut may take the last ones, which the next run finds out again. */
export function fileHashes(database: Database, now: () => number): KnownHashes {
  const inode = (value: bigint): bigint => BigInt.asIntN(64, value)
  return {
    async get(file, state) {
      const row = await database.get<{ sha256: string }>(
        `SELECT sha256 FROM file_hashes
         WHERE path = ? AND size = ? AND modified_ns = ? AND changed_ns = ? AND inode = ? AND changed_ns < read_ns - ${UNSETTLED_NS}`,
        [file, state.sizeBytes, state.modifiedNs, state.changedNs, inode(state.inode)],
      )
      return row?.sha256 ?? null
    },
    async put(hashes) {
      const readNs = BigInt(now()) * 1_000_000n
      await database.unsynced(async (tx) => {
        for (const { absolutePath, state, sha256 } of hashes)
          await tx.run(
            `INSERT OR REPLACE INTO file_hashes (path, size, modified_ns, changed_ns, inode, read_ns, sha256)
             VALUES (?, ?, ?, ?, ?, ?, ?)`,
            [absolutePath, state.sizeBytes, state.modifiedNs, state.changedNs, inode(state.inode), readNs, sha256],
          )
      })
    },
  }
}
