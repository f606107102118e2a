// Which approach to take, and what an answer of it costs and takes.
import { APPROACHES, KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import type { ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { countWords, durationWords, listWords, meanWords } from '../../../contract/words.ts'

type Cost = Pick<ApproachSummary, 'model' | 'operational'>

/** Returns what an answer costs beside time, the dearest kind first: calls that leave this machine, model calls, tokens. */
const costsOf = ({ operational: { cloud_calls, llm_calls, total_tokens } }: Cost): (number | null)[] => [
  cloud_calls.mean,
  llm_calls.mean,
  total_tokens.mean,
]

/**
 * The cheapest first, then the fastest, then the others as they were. Of those that cost the same, one that is clearly faster is taken, else the simplest,
 * so that two runs of the same questions advise the same. A kind of cost that some approach does not record is not compared.
 */
export function byCost(approaches: readonly Cost[]): string[] {
  const simplestFirst = approaches.toSorted((a, b) => stepsOf(a.model) - stepsOf(b.model))
  const [fastest] = approaches.toSorted((a, b) => timeOf(a) - timeOf(b))
  if (fastest === undefined) return []
  const cheapest = knownKinds(approaches).reduce(leastOf, simplestFirst)
  const [taken] = cheapest.filter((each) => !cheapest.some((other) => isFaster(other, each)))
  return [...new Set([taken!.model, fastest.model, ...approaches.map(({ model }) => model)])]
}

/** From keyword search on, each does more than the one before it; approaches and flavors of a person's own come last. */
const SIMPLEST_FIRST: readonly string[] = [KEYWORD_BASELINE, ...Object.keys(APPROACHES)]
const stepsOf = (model: string): number => {
  const place = SIMPLEST_FIRST.indexOf(model)
  return place === -1 ? SIMPLEST_FIRST.length : place
}

const timeOf = ({ operational }: Cost): number => operational.latency_ms.median ?? Infinity

/** A difference of times that another run of the same questions keeps, and that a person notices. */
const FASTER = { times: 2, ms: 100 }
const isFaster = (a: Cost, b: Cost): boolean =>
  timeOf(b) >= FASTER.times * timeOf(a) && timeOf(b) - timeOf(a) >= FASTER.ms

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

/**
 * `, the cheapest of them` where the first costs less than every other one, `, the fastest of them` where only times differ, `, the simplest of those that cost the
 * same` where those do not, `, the simplest of the cheapest` where that is so of some; else nothing.
 */
export function cheapness(approaches: readonly Cost[]): string {
  const [first, ...others] = approaches
  if (others.length === 0) return ''
  const known = knownKinds(approaches)
  const same = others.filter((other) => dearer(other, first!, known) === 0)
  if (others.some((other) => dearer(other, first!, known) < 0)) return ''
  if (same.length === 0) return ', the cheapest of them'
  if (same.every((other) => isFaster(first!, other)))
    return same.length === others.length ? ', the fastest of them' : ', the cheapest of them'
  const isSimplest = same.every(({ model }) => stepsOf(first!.model) < stepsOf(model))
  if (!isSimplest) return ''
  return same.length === others.length ? ', the simplest of those that cost the same' : ', the simplest of the cheapest'
}

/** `25 ms (median) and 1 model call with 420 tokens per answer`; what is not recorded is left out. */
export function costWords(behaviour: ApproachBehaviour): string {
  const amounts = amountsOf(behaviour)
  return amounts === '' ? 'its cost and time are not recorded' : `${amounts} per answer`
}

/** `25 ms (median) and 1 model call with 420 tokens`; empty where nothing is recorded. Text handed over is another amount of tokens. */
function amountsOf({ latency_ms: latency, llm_calls: calls, total_tokens: total }: ApproachBehaviour): string {
  const tokens = total === null ? null : `${countWords(total)} tokens`
  const ofCalls =
    calls === null
      ? tokens && `${tokens} of model calls`
      : `${meanWords(calls)} model ${calls === 1 ? 'call' : 'calls'}${tokens === null ? '' : ` with ${tokens}`}`
  return listWords([
    ...(latency === null ? [] : [`${durationWords(latency)} (median)`]),
    ...(ofCalls === null ? [] : [ofCalls]),
  ])
}

/** `graph-rag takes 25 ms (median) and 1 model call per answer.`; null where nothing is recorded. */
export const ownCostWords = (behaviour: ApproachBehaviour): string | null =>
  amountsOf(behaviour) === '' ? null : `${behaviour.model} takes ${costWords(behaviour)}.`

/** `Take graph-rag: 25 ms … per answer, against 72 ms (median) and 5.8 model calls with 4 100 tokens of agentic-rag.` */
export function takeWords(taken: ApproachBehaviour, other: ApproachBehaviour | undefined, why = ''): string {
  const against = other === undefined ? '' : amountsOf(other)
  return `Take ${taken.model}${why}: ${costWords(taken)}${against === '' ? '' : `, against ${against} of ${other!.model}`}.`
}
