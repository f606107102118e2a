import type { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'

export interface FliteWord {
  text: string
  start: number
  end: number
}

const PAUSE = 'pau'

/**
 * The synthesiser's own word times. It prints phones with times and words without, so each word is also spoken alone: its phones there are
 * aligned with those of the whole sentence.
 */
export async function fliteWordTimes(engine: FliteEngine, text: string, voice: string): Promise<FliteWord[]> {
  const signal = new AbortController().signal
  const words = await engine.words(text, voice, signal)
  const spoken = await engine.phones(text, voice, signal)
  const alone = groups(await engine.phones(words.join(', '), voice, signal))
  if (alone.length !== words.length)
    throw new Error(`${words.length} words, but ${alone.length} groups of phones: ${text}`)
  const owners = alone.flatMap((phones, word) => phones.map((name) => ({ name, word })))
  const phones = spoken
    .map((phone, i) => ({ ...phone, start: spoken[i - 1]?.end ?? 0 }))
    .filter(({ name }) => name !== PAUSE)
  const times = new Map<number, { start: number; end: number }>()
  for (const [at, owner] of alignPhones(
    phones.map(({ name }) => name),
    owners.map(({ name }) => name),
  )) {
    const { start, end } = phones[at]!
    const { word } = owners[owner]!
    times.set(word, { start: Math.min(times.get(word)?.start ?? start, start), end })
  }
  return words.flatMap((word, i) => (times.has(i) ? [{ text: word, ...times.get(i)! }] : []))
}

function groups(phones: readonly { name: string }[]): string[][] {
  const found: string[][] = [[]]
  for (const { name } of phones) {
    if (name !== PAUSE) found.at(-1)!.push(name)
    else if (found.at(-1)!.length > 0) found.push([])
  }
  return found.filter((group) => group.length > 0)
}

/** Pairs of positions on a path of fewest edits; a replaced phone counts as the same place. */
function alignPhones(a: readonly string[], b: readonly string[]): [number, number][] {
  const cost = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = cost[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      cost[i]![j] = Math.min(replaced, cost[i - 1]![j]! + 1, cost[i]![j - 1]! + 1)
    }
  }
  const pairs: [number, number][] = []
  for (let i = a.length, j = b.length; i > 0 && j > 0;) {
    const replaced = cost[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
    if (cost[i]![j] === replaced) pairs.push([--i, --j])
    else if (cost[i]![j] === cost[i - 1]![j]! + 1) i -= 1
    else j -= 1
  }
  return pairs.reverse()
}
