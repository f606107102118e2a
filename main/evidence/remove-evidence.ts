import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AnswerJournal } from './answer-journal.ts'
import { copyRecordPathFor } from './copied-evidence.ts'
import type { EvidenceRefusal } from './evidence-log.ts'
import { nodeFileOps } from './files/file-ops.ts'
import { LockFolder } from './locks/lock-folder.ts'
import { traceTextsPathFor } from './traces/trace-texts.ts'
import { identityPathFor } from './rows/identity-record.ts'
import { orIfMissing } from '../lib/files/missing-file.ts'

/** Earlier versions kept an index beside the log, which nothing reads any more. */
const FORMER_INDEX = '.index'

/** Every file of a log that is there, the log itself first (also when it is not there). */
export async function evidenceFilesOf(file: string): Promise<string[]> {
  const path = resolve(file)
  const journal = AnswerJournal.pathFor(path)
  const tornPrefixes = [path, journal].map((name) => `${basename(name)}.torn-`)
  const names = await orIfMissing(readdir(dirname(path)), [])
  const torn = names.filter((name) => tornPrefixes.some((start) => name.startsWith(start)))
  const identity = identityPathFor(path)
  const fixed = [
    `${path}${FORMER_INDEX}`,
    journal,
    `${journal}.tmp`,
    identity,
    `${identity}.tmp`,
    copyRecordPathFor(path),
    traceTextsPathFor(path),
  ]
  const beside = [...fixed, ...torn.map((name) => join(dirname(path), name))]
  return [path, ...beside.filter((name) => nodeFileOps.state(name) !== null)]
}

/**
 * Does work on the files of a log that no living process has open, and that none can open meanwhile. The log's lock folder stays, because a
 * removed lock no longer excludes other processes. Rejects with the system's error.
 */
export async function withUnusedEvidence<Result>(
  file: string,
  work: (files: string[]) => Promise<Result>,
): Promise<{ ok: true; result: Result } | { ok: false; refusal: EvidenceRefusal }> {
  const path = resolve(file)
  const locks = await LockFolder.open(path, nodeFileOps)
  try {
    return await locks.exclusive(async () => {
      if (locks.others().some((owner) => locks.isAlive(owner))) return { ok: false, refusal: inUse(path) }
      const files = (await evidenceFilesOf(path)).filter((name) => nodeFileOps.state(name) !== null)
      const result = await work(files)
      await nodeFileOps.syncFolderOf(path)
      return { ok: true, result }
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
