import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CanonicalRow } from '../../contract/index.ts'
import type { EvidenceLog } from '../../main/evidence/evidence-log.ts'
import { openEvidenceLog, type OpenOptions } from '../../main/evidence/open-evidence-log.ts'

/** Name for a log in a folder that goes away with the test. */
export async function temporaryLogFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evidence-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'test-evidence.jsonl')
}

/** Opens a log that must open, and closes it with the test. */
export async function openLog(file: string, options: Partial<OpenOptions> = {}): Promise<EvidenceLog> {
  const opened = await openEvidenceLog(file, { runId: 'run-1', create: true, ...options })
  if (!opened.ok) throw new Error(opened.refusal.message)
  onTestFinished(() => opened.log.close())
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
