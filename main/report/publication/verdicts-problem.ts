import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Judgments } from '../../../contract/evidence/judgments.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { remedyFor } from '../../../core/remedy.ts'
import { JudgePanelError } from '../../judge/judge-error.ts'
import { BROKEN_SEAL, readSealedJson } from '../../lib/files/sealed-json.ts'
import { journalPath, readVerdicts } from '../../judge/verdict-journal.ts'

/**
 * Compares the verdicts of a judgments file with the journal that they were written from; null when they are equal. A file without a journal, as
 * earlier versions and bundles leave it, or in an older form is compared by its figures only.
 */
export async function verdictsProblem(file: string): Promise<string | null> {
  const journal = journalPath(file)
  if (!existsSync(journal)) return null
  const read = readSealedJson(await readFile(file, 'utf8'))
  if (read?.seal === 'broken') return BROKEN_SEAL
  const parsed = Judgments.safeParse(read?.value)
  if (!parsed.success) return null
  let given: Set<string>
  try {
    given = new Set(
      (await readVerdicts(journal)).map(({ query_id, judge, verdict }) => canonicalJson([query_id, judge, verdict])),
    )
  } catch (error) {
    if (error instanceof JudgePanelError) return error.message
    throw error
  }
  for (const { query_id, per_judge } of parsed.data.queries)
    for (const [judge, { rotations = [], reasons }] of Object.entries(per_judge)) {
      const changed = rotations.find((rotation) => !given.has(canonicalJson([query_id, judge, rotation])))
      const isOtherReason = rotations.length > 0 && canonicalJson(reasons) !== canonicalJson(rotations[0]!.reasons)
      if (changed !== undefined || isOtherReason)
        return `the verdict of ${judge} on ${query_id} is not the one that the judge gave. Remove the file and judge the run again (${remedyFor({ panel: 'Judge answers on the tab Judges', commandLine: 'rag-ladder judge run' })}): stored verdicts are not paid for again`
    }
  return null
}
