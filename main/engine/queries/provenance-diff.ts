import type { RunSummary } from '../../../contract/control/run-index/runs.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { fieldPath } from '../../../core/issues.ts'
import type { ProvenanceDiff } from '../../../contract/control/comparison.ts'
import { orNull, type RunIndexApi } from '../index-gateway.ts'

const MAX_VALUE_CHARS = 400

/** Every leaf of a value with its path. */
function* leaves(value: unknown, path: readonly PropertyKey[] = []): Generator<[string, string]> {
  if (value !== null && typeof value === 'object') {
    const entries: [PropertyKey, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
    for (const [key, member] of entries) yield* leaves(member, [...path, key])
    return
  }
  yield [fieldPath(path), String(value).slice(0, MAX_VALUE_CHARS)]
}

/** Provenances, null where there is none, → the fields in which they differ, and how many are the same everywhere. */
export function diffProvenance(all: readonly (Reproducibility | null)[]): Pick<ProvenanceDiff, 'same' | 'differences'> {
  const flat = all.map((each) => (each === null ? null : new Map(leaves(each))))
  const paths = new Set(flat.flatMap((each) => (each === null ? [] : [...each.keys()])))
  const differences: ProvenanceDiff['differences'] = []
  let same = 0
  for (const path of paths) {
    const known = flat.flatMap((each) => (each === null ? [] : [each.get(path) ?? null]))
    if (new Set(known).size === 1) same += 1
    else differences.push({ path, values: flat.map((each) => each?.get(path) ?? null) })
  }
  return { same, differences }
}

const provenanceOf = ({ datasets }: RunSummary, datasetId: string): Reproducibility | null =>
  datasets.find(({ dataset_id }) => dataset_id === datasetId)?.conditions ?? null

/** In which fields of their provenance runs differ, on one dataset. */
export async function provenanceDiff(
  index: RunIndexApi,
  runIds: readonly string[],
  datasetId: string,
): Promise<ProvenanceDiff> {
  const all = await Promise.all(
    runIds.map(async (runId) => {
      const found = await orNull(index.query('runSummary', { run_id: runId }), 'not_found')
      return found === null ? null : provenanceOf(found.summary, datasetId)
    }),
  )
  return {
    run_ids: [...runIds],
    unknown_run_ids: runIds.filter((_, place) => all[place] === null),
    ...diffProvenance(all),
  }
}
