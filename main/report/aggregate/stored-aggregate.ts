import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { aggregateWithCurrentNames } from '../../../core/evidence/metric-names.ts'
import { describeIssues } from '../../../core/issues.ts'
import { remedyFor } from '../../../core/remedy.ts'
import { BROKEN_SEAL, isSealingVersion, MISSING_SEAL, readSealedJson } from '../../lib/files/sealed-json.ts'

/** A stored aggregate, or the problems of its file. */
export type StoredAggregate = { ok: true; aggregate: Aggregate } | { ok: false; issues: string[] }

/** Text of an `-evaluation.json` → aggregate. One that was changed after it was sealed is refused; without a seal it is read if version 0.1 wrote it. */
export function parseAggregate(text: string): StoredAggregate {
  const read = readSealedJson(text)
  if (read === undefined) return { ok: false, issues: ['not JSON'] }
  const parsed = Aggregate.safeParse(aggregateWithCurrentNames(read.value))
  if (read.seal === 'broken') return { ok: false, issues: [`${BROKEN_SEAL}. ${remedy(parsed.data)}`] }
  if (!parsed.success) return { ok: false, issues: describeIssues(parsed.error) }
  if (read.seal === 'absent' && isSealingVersion(parsed.data.reproducibility?.runtime.platform.version))
    return { ok: false, issues: [`${MISSING_SEAL}. ${remedy(parsed.data)}`] }
  return { ok: true, aggregate: parsed.data }
}

function remedy(aggregate: Aggregate | undefined): string {
  const run = aggregate === undefined ? '--run-id …' : `--run-id ${aggregate.run_id} --dataset ${aggregate.dataset.id}`
  const how = remedyFor({
    panel: 'go on with the run in New run, under its own name',
    commandLine: `go on with the run, with its options: rag-ladder ladder --no-cold-reset ${run}`,
  })
  return `To make it again from the evidence, ${how}`
}
