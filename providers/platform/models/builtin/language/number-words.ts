import type { Token } from './tokens.ts'

const UNITS = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
   eighteen nineteen`
    .split(/\s+/)
    .map((word, value) => [word, value] as const),
)
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, at) => [word, 20 + 10 * at] as const),
)
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
])
const OTHERS = new Map([
  ['dozen', 12],
  ['half', 0.5],
  ['quarter', 0.25],
  ['third', 1 / 3],
  ['twice', 2],
  ['double', 2],
  ['once', 1],
])

/** A number as it appears in a text: tokens `from` (included) to `to` (excluded). */
export type NumberMention = { value: number; from: number; to: number }

const wordValue = (token: Token | undefined): number | null =>
  token?.kind === 'word' ? (UNITS.get(token.norm) ?? TENS.get(token.norm) ?? null) : null

function readNumber(tokens: readonly Token[], from: number): NumberMention | null {
  const first = tokens[from]!
  let total = 0
  let group = 0
  let at = from
  if (first.kind === 'number' && /^\d+(?:\.\d+)?$/.test(first.norm)) {
    group = Number(first.norm)
    at += 1
  } else if (wordValue(first) !== null) {
    while (wordValue(tokens[at]) !== null) {
      const value = wordValue(tokens[at])!
      // "nineteen eighty" is a year, "twenty one" a sum, "six seven" two numbers.
      if (at > from && !(group % 100 >= 20 && group % 10 === 0 && value < 10)) break
      group += value
      at += 1
    }
  } else if (first.norm === 'hundred' || first.norm === 'thousand' || first.norm === 'million') group = 1
  else {
    const value = first.kind === 'word' ? OTHERS.get(first.norm) : undefined
    return value === undefined ? null : { value, from, to: from + 1 }
  }
  for (;;) {
    const scale = tokens[at]?.kind === 'word' ? SCALES.get(tokens[at]!.norm) : undefined
    if (scale !== undefined) {
      if (scale === 100) group *= 100
      else {
        total += group * scale
        group = 0
      }
      at += 1
      continue
    }
    const joined = tokens[at]?.norm === 'and' ? at + 1 : at
    const value = wordValue(tokens[joined])
    const afterScale = at > from && SCALES.has(tokens[at - 1]!.norm)
    const afterTens = group % 100 >= 20 && group % 10 === 0 && value !== null && value < 10 && joined === at
    if (value === null || !(afterScale || afterTens)) break
    group += value
    at = joined + 1
  }
  return { value: total + group, from, to: at }
}

/** The numbers of a text in digits or words, such as `1,520`, `sixty-one` or `two hundred and six`. */
export function numbersOf(tokens: readonly Token[]): NumberMention[] {
  const mentions: NumberMention[] = []
  for (let at = 0; at < tokens.length;) {
    const mention = readNumber(tokens, at)
    if (mention !== null) mentions.push(mention)
    at = mention?.to ?? at + 1
  }
  return mentions
}
