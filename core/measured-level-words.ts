import type { MeasuredLevel } from '../contract/evidence/measured-level.ts'
import { intervalWords, plural, scoreWords, signedWords } from '../contract/words.ts'

const WHY: Readonly<Record<NonNullable<MeasuredLevel['reason']>, string>> = {
  not_text: 'a converter or a recognizer reads some of its documents, so their text is not known before a run',
  too_large: 'its documents are larger than 64 MiB',
  no_documents: 'it has no documents',
  no_gold: 'no answerable question has gold facts',
  no_hops: 'no question with gold facts counts its hops',
  one_hop: 'all of its questions have the same number of hops',
  too_few_questions: 'its questions are in fewer than 8 independent groups',
  no_variation: 'all groups of questions agree',
}

/** `−0.14 [−0.25, −0.03]`: the slope with its interval, `+0.01 (no interval)` where it has none; null where it is not defined. */
export function slopeWords({ slope }: MeasuredLevel): string | null {
  if (slope === null || slope.value === null) return null
  return `${signedWords(slope.value)} ${slope.interval === null ? '(no interval)' : intervalWords(slope.interval)}`
}

/** The measured level of a dataset in one sentence without its full stop. */
export function measuredLevelWords(level: MeasuredLevel): string {
  const { slope, questions, recall, reason } = level
  const words = slopeWords(level)
  if (words === null || recall === null) return `measured level: none, because ${WHY[reason!]}`
  const interval = slope!.interval
  const shown =
    interval === null
      ? `no test is possible, because ${WHY[reason!]}`
      : interval.high < 0
        ? 'keyword search finds less the more passages an answer combines'
        : interval.low > 0
          ? 'keyword search finds more the more passages an answer combines'
          : 'it is not shown that keyword search finds less where an answer combines more passages'
  return `measured level: recall@5 of BM25 is ${scoreWords(recall)} and changes by ${words} with each hop, over ${plural(questions, 'question')}: ${shown}`
}

interface Rung {
  complexity_level: number
  label: string
  measured_level?: MeasuredLevel | undefined
}

/** A sentence for each two neighbouring levels of a ladder of which the higher one measures less relational. */
export function inversionWords(rungs: readonly Rung[]): string[] {
  const measured = rungs
    .filter(({ complexity_level: level, measured_level: own }) => level > 0 && typeof own?.slope?.value === 'number')
    .toSorted((one, other) => one.complexity_level - other.complexity_level)
  return measured.slice(1).flatMap((higher, at) => {
    const lower = measured[at]!
    const [one, other] = [lower.measured_level!.slope!, higher.measured_level!.slope!]
    if (other.value! <= one.value!) return []
    const apart = one.interval !== null && other.interval !== null && other.interval.low > one.interval.high
    return [
      `Level ${higher.complexity_level} (${higher.label}) measures less relational than level ${lower.complexity_level} (${lower.label}): ${slopeWords(higher.measured_level!)} against ${slopeWords(lower.measured_level!)} recall with each hop${apart ? '' : ', which is no difference that these questions show'}`,
    ]
  })
}
