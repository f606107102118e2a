import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { RunIdentity } from '../../contract/evidence/run-identity.ts'
import type { EvidenceLog } from '../../main/evidence/evidence-log.ts'
import { openEvidenceLog, type OpenOptions } from '../../main/evidence/open-evidence-log.ts'
import { sampleIdentity } from './evidence-rows.ts'

/** Name for a log in a folder that goes away with the test. */
export async function temporaryLogFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evidence-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'test-evidence.jsonl')
}

/** Opens a log that must open and agree with the identity (null sets none), and closes it with the test. */
export async function openLog(
  file: string,
  options: Partial<OpenOptions> = {},
  identity: RunIdentity | null = sampleIdentity(),
): Promise<EvidenceLog> {
  const opened = await openEvidenceLog(file, { runId: 'run-1', create: true, ...options })
  if (!opened.ok) throw new Error(opened.refusal.message)
  onTestFinished(() => opened.log.close())
  if (identity !== null) {
    const outcome = await opened.log.setIdentity(() => identity)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.conflicts))
  }
  return opened.log
}

/** Claims a cell that must be free and appends its row. */
export async function store(log: EvidenceLog, row: CanonicalRow): Promise<void> {
  const outcome = await log.claim(row.row_id)
  if (outcome.outcome === 'stored') throw new Error(`${row.question.id} is stored already`)
  await log.append(outcome.claim, row)
}

/** Claims a cell that must be free. */
export async function claimFree(log: EvidenceLog, rowId: string) {
  const outcome = await log.claim(rowId)
  if (outcome.outcome === 'stored') throw new Error(`${rowId} is stored already`)
  return outcome
}
