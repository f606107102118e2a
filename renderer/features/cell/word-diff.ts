import type { Span } from '../../components/text-match.ts'

interface Word extends Span {
  key: string
}

/** Longer texts are not compared: the table of a comparison grows with the product of both lengths. */
export const MOST_WORDS = 2000

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index, 0: word }) => ({
    key: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }))

/** Lengths of the longest common sequences of all pairs of rests, row by row. */
function commonLengths(a: readonly Word[], b: readonly Word[]): Uint16Array {
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  for (let row = a.length - 1; row >= 0; row -= 1)
    for (let column = b.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        a[row]!.key === b[column]!.key
          ? table[(row + 1) * width + column + 1]! + 1
          : Math.max(table[(row + 1) * width + column]!, table[row * width + column + 1]!)
  return table
}

/** Words that only one of two texts has, case and signs aside; null when a text is too long to compare. */
export function wordDiff(a: string, b: string): { onlyA: Span[]; onlyB: Span[]; same: number } | null {
  const [left, right] = [wordsOf(a), wordsOf(b)]
  if (left.length > MOST_WORDS || right.length > MOST_WORDS) return null
  const table = commonLengths(left, right)
  const width = right.length + 1
  const onlyA: Word[] = []
  const onlyB: Word[] = []
  let [row, column, same] = [0, 0, 0]
  while (row < left.length && column < right.length) {
    if (left[row]!.key === right[column]!.key) [row, column, same] = [row + 1, column + 1, same + 1]
    else if (table[(row + 1) * width + column]! >= table[row * width + column + 1]!) onlyA.push(left[row++]!)
    else onlyB.push(right[column++]!)
  }
  onlyA.push(...left.slice(row))
  onlyB.push(...right.slice(column))
  return { onlyA: onlyA.map(spanOf), onlyB: onlyB.map(spanOf), same }
}

const spanOf = ({ start, end }: Word): Span => ({ start, end })
