import type { PlannedPart } from '../contract/control/expected-work.ts'
import { costWords, countWords, durationWords } from '../contract/words.ts'

const LABELS: Record<PlannedPart['part'], string> = {
  ingestion: 'reading the documents',
  answers: 'answers',
  grading: 'grading',
  judging: 'judging',
}

/** One part of a plan in words, or all parts together. */
export interface PlannedUseWords {
  part: string
  calls: string
  time: string
  cost: string
  source: string
}

const unknown = 'unknown'

const sourceOf = ({ source }: PlannedPart): string => {
  if (source === 'kept') return 'done before'
  if (source === null) return 'not known yet'
  return source === 'calls' ? 'three calls of each model' : 'earlier runs'
}

/** The parts as a table of words. */
export const plannedUseWords = (parts: readonly PlannedPart[]): PlannedUseWords[] =>
  parts.map((planned) => {
    const { part, calls, ms, cost, source } = planned
    const isKept = source === 'kept'
    return {
      part: LABELS[part],
      calls: calls === null ? unknown : isKept ? '–' : `≈ ${countWords(calls)}`,
      time: ms === null ? unknown : isKept ? '–' : `≈ ${durationWords(ms)}`,
      cost: cost === null ? '–' : costWords(cost),
      source: sourceOf(planned),
    }
  })

/** One part in a line: `grading: ≈ 3.1 s, ≈ 24 calls, 0.0031 USD (three calls of each model)`. */
export function partWords(planned: PlannedPart): string {
  const [{ part, calls, time, cost, source }] = plannedUseWords([planned]) as [PlannedUseWords]
  if (planned.source === 'kept' || (planned.calls === null && planned.ms === null)) return `${part}: ${source}`
  const known = [
    planned.ms === null ? `time ${unknown}` : time,
    `${calls} calls`,
    ...(cost === '–' ? [] : [cost === unknown ? `cost ${unknown}` : cost]),
  ]
  return `${part}: ${known.join(', ')}${planned.source === null ? '' : ` (${source})`}`
}

/** The sum of what is known of the parts, and the labels of those whose time is not; nulls where no answer can be estimated. */
export function sumOfUse(parts: readonly PlannedPart[]): {
  calls: number | null
  ms: number | null
  untimed: string[]
} {
  const sum = (of: (part: PlannedPart) => number | null): number | null =>
    parts.some((part) => part.part === 'answers' && of(part) === null)
      ? null
      : parts.reduce((total, part) => total + (of(part) ?? 0), 0)
  return {
    calls: sum(({ calls }) => calls),
    ms: sum(({ ms }) => ms),
    untimed: parts.flatMap(({ part, ms }) => (ms === null ? [LABELS[part]] : [])),
  }
}

/** The same part of several datasets as one. */
export function joinedParts(datasets: readonly (readonly PlannedPart[])[]): PlannedPart[] {
  const all = datasets.flat()
  return Object.keys(LABELS).flatMap((name): PlannedPart[] => {
    const same = all.filter(({ part }) => part === name)
    const [first] = same
    if (first === undefined) return []
    const sum = (of: (part: PlannedPart) => number | null): number | null =>
      same.some((part) => of(part) === null) ? null : same.reduce((total, part) => total + of(part)!, 0)
    const costs = same.flatMap(({ cost }) => (cost === null ? [] : [cost]))
    const ms = sum((part) => part.ms)
    const source =
      ms === null
        ? null
        : (['calls', 'rows', 'kept'] as const).find((each) => same.some((part) => part.source === each))
    return [
      {
        part: first.part,
        calls: sum(({ calls }) => calls),
        ms,
        cost:
          costs[0] === undefined
            ? null
            : {
                amount: costs.reduce((total, { amount }) => total + amount, 0),
                currency: costs[0].currency,
                unknown: [...new Set(costs.flatMap(({ unknown: why }) => why))],
              },
        source: source ?? null,
      },
    ]
  })
}
