// Which approach to take, and what an answer of it costs and takes.
import type { ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { countWords, durationWords, meanWords } from '../../../contract/words.ts'

type Cost = Pick<ApproachSummary, 'model' | 'operational'>

/** Returns what an answer costs beside time, the dearest kind first: calls that leave this machine, model calls, tokens. */
const costsOf = ({ operational: { cloud_calls, llm_calls, total_tokens } }: Cost): (number | null)[] => [
  cloud_calls.mean,
  llm_calls.mean,
  total_tokens.mean,
]

/** The cheapest first, then the fastest, then the others as they were. A kind of cost that some approach does not record is not compared. */
export function byCost(approaches: readonly Cost[]): string[] {
  const fastestFirst = approaches.toSorted((a, b) => timeOf(a) - timeOf(b))
  const [fastest] = fastestFirst
  if (fastest === undefined) return []
  const known = knownKinds(approaches)
  const [cheapest] = known.reduce(leastOf, fastestFirst)
  return [...new Set([cheapest!.model, fastest.model, ...approaches.map(({ model }) => model)])]
}

const timeOf = ({ operational }: Cost): number => operational.latency_ms.median ?? Infinity

/** The kinds of cost before time that every approach records. */
const knownKinds = (approaches: readonly Cost[]): number[] =>
  [0, 1, 2].filter((kind) => approaches.every((approach) => costsOf(approach)[kind] !== null))

/** At an equal budget the amounts of text differ by how passages fill it: a difference of a tenth is none. */
const SAME_SHARE = 0.1

/** Those that cost least of one kind, in their order. */
function leastOf(approaches: readonly Cost[], kind: number): Cost[] {
  const least = Math.min(...approaches.map((approach) => costsOf(approach)[kind]!))
  return approaches.filter((approach) => costsOf(approach)[kind]! * (1 - SAME_SHARE) <= least)
}

/** Returns 1 where `a` costs more than `b` in the first kind in which they differ, −1 where less, 0 where they cost the same. */
function dearer(a: Cost, b: Cost, known: readonly number[]): -1 | 0 | 1 {
  for (const kind of known) {
    const least = leastOf([a, b], kind)
    if (least.length === 1) return least[0] === b ? 1 : -1
  }
  return 0
}

/** `, the cheapest of them` where the first costs less than every other one, `, the fastest of them` where only times differ; else nothing. */
export function cheapness(approaches: readonly Cost[]): string {
  const [first, ...others] = approaches
  if (others.length === 0) return ''
  const known = knownKinds(approaches)
  const by = others.map((other) => dearer(other, first!, known))
  const isFaster = (at: number): boolean => timeOf(others[at]!) > timeOf(first!)
  if (by.some((each, at) => each < 0 || (each === 0 && !isFaster(at)))) return ''
  return by.every((each) => each === 0) ? ', the fastest of them' : ', the cheapest of them'
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

/** `25 ms and 1 model call`, for the second of two. */
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
