// Which approach to take, and what an answer of it costs and takes.
import type { ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { countWords, durationWords, meanWords } from '../../../contract/words.ts'

type Cost = Pick<ApproachSummary, 'model' | 'operational'>

/** Returns what an answer costs, the dearest kind first: calls that leave this machine, model calls, tokens, time. */
const costsOf = ({ operational: { cloud_calls, llm_calls, total_tokens, latency_ms } }: Cost): (number | null)[] => [
  cloud_calls.mean,
  llm_calls.mean,
  total_tokens.mean,
  latency_ms.median,
]

/** The cheapest first, then the fastest, then the others as they were. A kind of cost that some approach does not record is not compared. */
export function byCost(approaches: readonly Cost[]): string[] {
  const known = knownKinds(approaches)
  const cheapest = approaches.toSorted((a, b) => dearerBy(a, b, known)?.difference ?? 0)[0]
  if (cheapest === undefined) return []
  const time = ({ operational }: Cost): number => operational.latency_ms.median ?? Infinity
  const fastest = approaches.toSorted((a, b) => time(a) - time(b))[0]!
  return [...new Set([cheapest.model, fastest.model, ...approaches.map(({ model }) => model)])]
}

/** The kinds of cost that every approach records. */
const knownKinds = (approaches: readonly Cost[]): number[] =>
  [0, 1, 2, TIME].filter((kind) => approaches.every((approach) => costsOf(approach)[kind] !== null))

const TIME = 3

/** The first kind of cost in which two differ, and by how much; null where they cost the same. */
function dearerBy(a: Cost, b: Cost, known: readonly number[]): { kind: number; difference: number } | null {
  for (const kind of known) {
    const difference = costsOf(a)[kind]! - costsOf(b)[kind]!
    if (difference !== 0) return { kind, difference }
  }
  return null
}

/** `, the cheapest of them` where the first costs less than every other one, `, the fastest of them` where only times differ; else nothing. */
export function cheapness(approaches: readonly Cost[]): string {
  const [first, ...others] = approaches
  const known = knownKinds(approaches)
  const by = others.map((other) => dearerBy(other, first!, known))
  if (by.length === 0 || by.some((each) => each === null || each.difference < 0)) return ''
  return by.every((each) => each!.kind === TIME) ? ', the fastest of them' : ', the cheapest of them'
}

/** `25 ms, 1 model call and 420 tokens per answer`; what is not recorded is left out. */
export function costWords({ latency_ms, llm_calls, total_tokens }: ApproachBehaviour): string {
  const parts = [
    ...(latency_ms === null ? [] : [durationWords(latency_ms)]),
    ...(llm_calls === null ? [] : [`${meanWords(llm_calls)} model ${llm_calls === 1 ? 'call' : 'calls'}`]),
    ...(total_tokens === null ? [] : [`${countWords(total_tokens)} tokens`]),
  ]
  if (parts.length === 0) return 'its cost and time are not recorded'
  return `${parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)!}`} per answer`
}

/** `25 ms, 1 model call`, for the second of two. */
const shortCostWords = ({ latency_ms, llm_calls }: ApproachBehaviour): string =>
  [
    ...(latency_ms === null ? [] : [durationWords(latency_ms)]),
    ...(llm_calls === null ? [] : [`${meanWords(llm_calls)} model ${llm_calls === 1 ? 'call' : 'calls'}`]),
  ].join(' and ')

/** `Take graph-rag: 25 ms … per answer, against 72 ms and 5.8 model calls of agentic-rag.` */
export function takeWords(taken: ApproachBehaviour, other: ApproachBehaviour | undefined, why = ''): string {
  const against = other === undefined ? '' : shortCostWords(other)
  return `Take ${taken.model}${why}: ${costWords(taken)}${against === '' ? '' : `, against ${against} of ${other!.model}`}.`
}
