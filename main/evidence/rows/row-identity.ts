import { hash } from 'node:crypto'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { PlanConflict } from '../../../contract/evidence/run-event.ts'
import { fieldPath } from '../../../core/issues.ts'

/** Describes what must be equal between a planned cell and its stored row: the row's question, approach and reproducibility. */
export type RowIdentity = Pick<CanonicalRow, 'row_id' | 'question' | 'approach' | 'reproducibility'>

/** The parts of a row that must be equal before it is reused, in the order in which differences are looked for. */
export const IDENTITY_PARTS = ['question', 'approach', 'reproducibility'] as const

/** Bytes kept of each part's SHA-256: enough that an accidental match is out of the question. */
export const PART_HASH_BYTES = 16

/** A copy of its own memory: kept long, a piece of Node's shared buffer pool would hold 8 KB of other data with it. */
export function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Equal for values with equal canonical JSON, whatever the order of their keys. */
export function fingerprint(part: unknown): Buffer {
  return copyOf(hash('sha256', canonicalJson(part), 'buffer').subarray(0, PART_HASH_BYTES))
}

/** True for values with the same JSON, whatever the order of keys. A quick comparison: members that are undefined make it false. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item: unknown, index) => sameJson(item, b[index]))
    )
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  let count = 0
  for (const key in left) {
    if (left[key] === undefined || !sameJson(left[key], right[key])) return false
    count += 1
  }
  for (const _ in right) count -= 1
  return count === 0
}

const MAX_SHOWN = 80

/** Shortens two differing texts to windows that both show where they part. */
function shortened(stored: string, current: string): [string, string] {
  if (Math.max(stored.length, current.length) <= MAX_SHOWN) return [stored, current]
  let common = 0
  while (common < stored.length && stored[common] === current[common]) common += 1
  const from = Math.max(0, common - 20)
  const cut = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + MAX_SHOWN)}${text.length > from + MAX_SHOWN ? '…' : ''}`
  return [cut(stored), cut(current)]
}

/** Stands for the value of a field that one side does not have. */
export const ABSENT = '(absent)'

const shown = (value: unknown): string => (value === undefined ? ABSENT : canonicalJson(value))

export type Difference = Omit<PlanConflict, 'row_id' | 'rows'>

/** The fields in which two JSON values differ, keys in sorted order. */
export function* differences(
  stored: unknown,
  current: unknown,
  path: readonly PropertyKey[] = [],
): Generator<Difference> {
  const bothObjects = typeof stored === 'object' && typeof current === 'object' && stored !== null && current !== null
  if (bothObjects && Array.isArray(stored) === Array.isArray(current)) {
    const [left, right] = [stored as Record<string, unknown>, current as Record<string, unknown>]
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
    if (!Array.isArray(stored)) keys.sort()
    for (const key of keys)
      yield* differences(left[key], right[key], [...path, Array.isArray(stored) ? Number(key) : key])
    return
  }
  const [before, now] = [shown(stored), shown(current)]
  if (before === now) return
  const [storedText, currentText] = shortened(before, now)
  yield { path: fieldPath(path), stored: storedText, current: currentText }
}

/** The first field in which two JSON values differ; null when they are equal. */
export function firstDifference(
  stored: unknown,
  current: unknown,
  path: readonly PropertyKey[] = [],
): Difference | null {
  for (const difference of differences(stored, current, path)) return difference
  return null
}
