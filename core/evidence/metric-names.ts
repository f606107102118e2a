import type { AnswerMetric } from '../../contract/evidence/answer-scores.ts'

/** Names in rows and aggregates of runner version 1 → today's names. */
const FORMER_NAMES: Readonly<Record<string, AnswerMetric>> = { gold_coverage: 'points_covered' }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Renames the keys of an object in place; their order stays. */
function renameKeys(owner: unknown, field: string): void {
  const values = isObject(owner) ? owner[field] : undefined
  if (!isObject(values) || Array.isArray(values)) return
  if (!Object.keys(FORMER_NAMES).some((name) => Object.hasOwn(values, name))) return
  ;(owner as Record<string, unknown>)[field] = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [FORMER_NAMES[name] ?? name, value]),
  )
}

/** A parsed evidence row with former metric names replaced, in place; any other value is returned as it is. */
export function withCurrentNames<Row>(row: Row): Row {
  const metrics = isObject(row) ? row['metrics'] : undefined
  if (isObject(metrics)) renameKeys(metrics['answer'], 'scores')
  return row
}

/** A parsed aggregate with former metric names replaced, in place; any other value is returned as it is. */
export function aggregateWithCurrentNames(value: unknown): unknown {
  if (!isObject(value)) return value
  for (const approach of listOf(value['approaches'])) {
    renameKeys(approach, 'answer')
    for (const group of isObject(approach) ? listOf(approach['by_hops']) : []) renameKeys(group, 'answer')
  }
  const comparisons = value['comparisons']
  for (const compared of isObject(comparisons) ? listOf(comparisons['metrics']) : [])
    if (isObject(compared) && typeof compared['metric'] === 'string')
      compared['metric'] = FORMER_NAMES[compared['metric']] ?? compared['metric']
  return value
}
