// Keeps answers within `MAX_ANSWER_BYTES`: lists are cut at their end, long values in a cell where `cuts` lists them.
import type { CellCut, ValuePath } from '../../../contract/control/run-index/cell.ts'
import { MAX_ANSWER_BYTES } from '../../../contract/control/run-index/metrics.ts'
import { RunIndexError } from '../run-index-error.ts'
import { wholeCharacters } from './text-query.ts'

/** Budget of the lists in an answer; the rest is for what surrounds them. */
export const PAGE_BUDGET_BYTES = MAX_ANSWER_BYTES - 100_000

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Returns an answer that is small enough to be sent. Throws `too_large` when it does not. */
export function withinAnswerLimit<Answer>(answer: Answer): Answer {
  const bytes = jsonBytes(answer)
  if (bytes > MAX_ANSWER_BYTES)
    throw new RunIndexError('too_large', `the answer has ${bytes} bytes, more than ${MAX_ANSWER_BYTES}: ask for less`)
  return answer
}

/** The first items whose JSON fits into the budget. */
export function fitting<Item>(items: readonly Item[], budgetBytes = PAGE_BUDGET_BYTES): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => (bytes += jsonBytes(item) + 1) > budgetBytes)
  return end === -1 ? [...items] : items.slice(0, end)
}

/** From generous to tight; a row keeps the first bounds under which it fits. No part of the schema itself has 64 members. */
const BOUNDS = [
  { text: 131_072, items: 2000 },
  { text: 32_768, items: 2000 },
  { text: 8192, items: 1000 },
  { text: 2048, items: 250 },
  { text: 512, items: 100 },
  { text: 128, items: 64 },
]

/** A value with its long texts, lists and objects cut until its JSON fits into `budgetBytes`; null when even the tightest bounds are too large. */
export function fitValue(value: unknown, budgetBytes: number): { value: unknown; cuts: CellCut[] } | null {
  if (jsonBytes(value) <= budgetBytes) return { value, cuts: [] }
  for (const bounds of BOUNDS) {
    const cuts: CellCut[] = []
    const cut = cutValue(value, [], bounds, cuts)
    if (jsonBytes(cut) + jsonBytes(cuts) <= budgetBytes) return { value: cut, cuts }
  }
  return null
}

function cutValue(value: unknown, path: ValuePath, bounds: (typeof BOUNDS)[number], cuts: CellCut[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= bounds.text) return value
    const { end } = wholeCharacters(value, 0, bounds.text)
    cuts.push({ path, kind: 'text', kept: end, total: value.length })
    return value.slice(0, end)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    if (value.length > bounds.items) cuts.push({ path, kind: 'list', kept: bounds.items, total: value.length })
    return value.slice(0, bounds.items).map((item, index) => cutValue(item, [...path, index], bounds, cuts))
  }
  const members = Object.entries(value)
  if (members.length > bounds.items) cuts.push({ path, kind: 'members', kept: bounds.items, total: members.length })
  return Object.fromEntries(
    members.slice(0, bounds.items).map(([key, member]) => [key, cutValue(member, [...path, key], bounds, cuts)]),
  )
}

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: ValuePath): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}
