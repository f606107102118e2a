import { basename } from 'node:path'
import { z } from 'zod'
import { Identifier, Sha256 } from '../../contract/common.ts'
import { JudgedRotation } from '../../contract/evidence/judgments.ts'
import { openSealedJournal, readSealedJournal, type JournalProblem } from '../evidence/files/sealed-journal.ts'
import { JudgePanelError } from './judge-error.ts'

/** A verdict as it is kept: `key` is the hash of everything that it depends on. */
const JournalLine = z.strictObject({
  schema_version: z.literal(1),
  key: Sha256,
  query_id: Identifier,
  judge: z.string(),
  verdict: JudgedRotation,
})
export type JournalEntry = Omit<z.infer<typeof JournalLine>, 'schema_version'>

/** The verdicts that a panel has so far, one synced line each; a stored verdict is not requested again. */
export interface VerdictJournal {
  readonly kept: ReadonlyMap<string, JudgedRotation>
  /** States where the bytes of a half-written last line were moved; null when there were none. */
  readonly torn: string | null
  /** Resolves when the verdict is on stable storage. */
  append(entry: JournalEntry): Promise<void>
  close(): Promise<void>
}

/** `…-judgments.json` → `…-judgments.verdicts.jsonl`. */
export const journalPath = (judgmentsFile: string): string => `${judgmentsFile.replace(/\.json$/, '')}.verdicts.jsonl`

const errorOf =
  (file: string) =>
  (problem: JournalProblem): JudgePanelError => {
    const name = basename(file)
    if (problem.kind === 'in_use')
      return new JudgePanelError('journal_in_use', `${name}: another process is judging this run`, { file })
    const { line, offset } = problem
    return new JudgePanelError(
      'journal_damaged',
      `${name}:${line}: the line is not the one that was written. Remove the file to ask for all verdicts again`,
      { file, line, offset },
    )
  }

/**
 * Opens a journal for this process alone and reads what it holds. An unfinished last line was never acknowledged: it is moved aside. Throws
 * `JudgePanelError`: journal_in_use while another process judges, journal_damaged when a line is not the one that was written.
 */
export async function openVerdictJournal(file: string): Promise<VerdictJournal> {
  const journal = await openSealedJournal(file, JournalLine, errorOf(file))
  const kept = new Map(journal.entries.map(({ key, verdict }) => [key, verdict]))
  return {
    kept,
    torn: journal.torn,
    append: async (entry) => {
      await journal.append({ schema_version: 1, ...entry })
      kept.set(entry.key, entry.verdict)
    },
    close: () => journal.close(),
  }
}

/** All entries of a journal, in their order. Throws `journal_damaged` when a line is not the one that was written. */
export const readVerdicts = (file: string): Promise<JournalEntry[]> =>
  readSealedJournal(file, JournalLine, errorOf(file))
