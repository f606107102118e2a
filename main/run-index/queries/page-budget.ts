import { MAX_ANSWER_BYTES } from '../../../contract/index.ts'
import { RunIndexError } from '../run-index-error.ts'

/** Lists are cut here, so that what stands around them fits too. */
export const PAGE_BUDGET_BYTES = MAX_ANSWER_BYTES - 100_000

/** Bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Returns an answer that keeps its bound. Throws `too_large` when it does not. */
export function bounded<Answer>(answer: Answer): Answer {
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
