import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AnswerJournal } from './answer-journal.ts'
import type { EvidenceRefusal } from './evidence-log.ts'
import { nodeFileOps } from './file-ops.ts'
import { indexPathFor } from './index-file.ts'
import { LockFolder } from './lock-folder.ts'
import { identityPathFor } from './run-identity.ts'

export type RemoveOutcome = { ok: true; removed: string[] } | { ok: false; refusal: EvidenceRefusal }

/**
 * Removes a log with everything beside it, as a cold reset does; its lock folder stays, because a lock that is removed keeps nobody
 * out. Refuses while a living process has the log open. Rejects with the system's error.
 */
export async function removeEvidence(file: string): Promise<RemoveOutcome> {
  const path = resolve(file)
  const journal = AnswerJournal.pathFor(path)
  const tornPrefixes = [path, journal].map((name) => `${basename(name)}.torn-`)
  const identity = identityPathFor(path)
  const fixed = [path, indexPathFor(path), journal, `${journal}.tmp`, identity, `${identity}.tmp`]
  const locks = await LockFolder.open(path, nodeFileOps)
  try {
    return await locks.exclusive(async () => {
      if (locks.others().some((owner) => locks.isAlive(owner))) return { ok: false, refusal: inUse(path) }
      const torn = (await readdir(dirname(path))).filter((name) => tornPrefixes.some((start) => name.startsWith(start)))
      const removed = [...fixed, ...torn.map((name) => join(dirname(path), name))].filter(
        (name) => nodeFileOps.state(name) !== null,
      )
      for (const name of removed) await nodeFileOps.remove(name)
      await nodeFileOps.syncFolderOf(path)
      return { ok: true, removed }
    })
  } finally {
    await locks.close()
  }
}

const inUse = (file: string): EvidenceRefusal => ({
  code: 'in_use',
  file,
  offset: null,
  line: null,
  message: `${file}: a running process has it open`,
  remedy: 'stop that run first',
})
