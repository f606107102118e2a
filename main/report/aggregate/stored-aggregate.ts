import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { aggregateWithCurrentNames } from '../../../core/evidence/metric-names.ts'
import { describeIssues } from '../../../core/issues.ts'
import { BROKEN_SEAL, readSealedJson } from '../../lib/files/sealed-json.ts'
import { remedyFor } from '../../../core/remedy.ts'

/** A stored aggregate, or the problems of its file. */
export type StoredAggregate = { ok: true; aggregate: Aggregate } | { ok: false; issues: string[] }

/** Text of an `-evaluation.json` → aggregate. A text without a seal is read as it is; one that was changed after it was sealed is refused. */
export function parseAggregate(text: string): StoredAggregate {
  const read = readSealedJson(text)
  if (read === undefined) return { ok: false, issues: ['not JSON'] }
  if (read.seal === 'broken')
    return {
      ok: false,
      issues: [
        `${BROKEN_SEAL}. To make it again from the evidence, ${remedyFor({ panel: 'go on with the run in New run, under its own name', commandLine: 'go on with the run: rag-ladder ladder --no-cold-reset --run-id …' })}`,
      ],
    }
  const parsed = Aggregate.safeParse(aggregateWithCurrentNames(read.value))
  return parsed.success ? { ok: true, aggregate: parsed.data } : { ok: false, issues: describeIssues(parsed.error) }
}
