/** What a letter sounds like where it stands: the phones, and the answers for wider views that differ. */
interface Rule {
  phones: string
  /** By the letter at the next place of VIEW. */
  more: Map<string, Rule> | null
}

/** A letter of a known word with the phones that it makes there. */
interface Example {
  letters: string
  at: number
  phones: string
}

/** Places around a letter in the order in which they tell most about its sound; 1 is the next letter. */
const VIEW = [1, -1, 2, -2, 3, -3, 4, -4] as const
const EDGE = '#'
const ROUNDS = 4
const TRAINED_WORDS = 20_000
const LETTERS = 26
const A = 'a'.charCodeAt(0)
/** Logarithm of the share of a sound that a letter was never seen to make. */
const UNSEEN = -20

/** Pronunciations of words that a dictionary does not hold, as it would write them. */
export interface LetterSounds {
  phonesOf(word: string): string[]
}

/**
 * Learns how words are pronounced from a dictionary: letters are aligned with phones, none to two each (x and u of "exam" and "unit" make
 * two), by re-estimation along most probable paths, then each letter gets a tree of rules that looks one letter further where the view so far leaves a doubt (Daelemans and
 * van den Bosch 1996, IGTree). `entries`: words of the letters a to z with their phones.
 */
export function learnLetterSounds(
  entries: readonly (readonly [word: string, phones: readonly string[]])[],
): LetterSounds {
  const aligned = align(entries)
  const byLetter = Map.groupBy(aligned, ({ letters, at }) => letters[at]!)
  const rules = new Map([...byLetter].map(([letter, examples]) => [letter, ruleOf(examples, 0)]))
  return {
    phonesOf: (word) => {
      const letters = word.toLowerCase().replace(/[^a-z]/g, '')
      return Array.from(letters, (_, at) => soundAt(rules, letters, at)).flatMap((phones) =>
        phones.split(' ').filter(Boolean),
      )
    },
  }
}

function soundAt(rules: ReadonlyMap<string, Rule>, letters: string, at: number): string {
  let rule = rules.get(letters[at]!)
  if (rule === undefined) return ''
  for (let depth = 0; rule.more !== null; depth += 1) {
    const further: Rule | undefined = rule.more.get(letterAt(letters, at + VIEW[depth]!))
    if (further === undefined) break
    rule = further
  }
  return rule.phones
}

function ruleOf(examples: readonly Example[], depth: number): Rule {
  const counts = new Map<string, number>()
  for (const { phones } of examples) counts.set(phones, (counts.get(phones) ?? 0) + 1)
  const [phones] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))
  if (counts.size === 1 || depth === VIEW.length) return { phones, more: null }
  const groups = Map.groupBy(examples, ({ letters, at }) => letterAt(letters, at + VIEW[depth]!))
  return { phones, more: new Map([...groups].map(([letter, group]) => [letter, ruleOf(group, depth + 1)])) }
}

function letterAt(letters: string, at: number): string {
  return letters[at] ?? EDGE
}

function align(entries: readonly (readonly [string, readonly string[]])[]): Example[] {
  const names = [...new Set(entries.flatMap(([, phones]) => phones))]
  const numbers = new Map(names.map((name, i) => [name, i]))
  const words = entries.map(([letters, phones]) => ({
    letters,
    codes: Uint8Array.from(letters, (letter) => letter.charCodeAt(0) - A),
    phones: Uint8Array.from(phones, (phone) => numbers.get(phone)!),
  }))
  const sounds = 1 + names.length + names.length ** 2
  let weights: Float64Array | null = null
  for (let round = 1; round < ROUNDS; round += 1) {
    const counts = new Float64Array(LETTERS * sounds)
    // A part of the words tells as much of the letters as all of them.
    for (const { codes, phones } of words.slice(0, TRAINED_WORDS))
      bestPath(codes, phones, names.length, weights)?.forEach(
        (sound, at) => (counts[codes[at]! * sounds + sound]! += 1),
      )
    weights = logShares(counts, sounds)
  }
  const text = (sound: number): string => {
    if (sound === 0) return ''
    if (sound <= names.length) return names[sound - 1]!
    const two = sound - 1 - names.length
    return `${names[Math.floor(two / names.length)]!} ${names[two % names.length]!}`
  }
  return words.flatMap(({ letters, codes, phones }) =>
    (bestPath(codes, phones, names.length, weights) ?? []).map((sound, at) => ({ letters, at, phones: text(sound) })),
  )
}

/** Logarithm of how often a letter makes a sound, among all that it makes. */
function logShares(counts: Float64Array, sounds: number): Float64Array {
  const shares = new Float64Array(counts.length).fill(UNSEEN)
  for (let letter = 0; letter < LETTERS; letter += 1) {
    const own = counts.subarray(letter * sounds, (letter + 1) * sounds)
    const total = own.reduce((sum, count) => sum + count, 0)
    own.forEach((count, sound) => count > 0 && (shares[letter * sounds + sound] = Math.log(count / total)))
  }
  return shares
}

/**
 * The sound of each letter on the most probable path: 0 for silence, then the single phones, then the pairs; null where the word has more phones
 * than its letters can make.
 */
function bestPath(
  letters: Uint8Array,
  phones: Uint8Array,
  names: number,
  weights: Float64Array | null,
): number[] | null {
  const sounds = 1 + names + names ** 2
  const width = phones.length + 1
  const score = new Float64Array((letters.length + 1) * width).fill(-Infinity)
  const made = new Uint16Array(score.length)
  score[0] = 0
  const reach = (from: number, to: number, letter: number, sound: number, atFirst: number) => {
    const value = score[from]! + (weights === null ? atFirst : weights[letter * sounds + sound]!)
    if (value <= score[to]!) return
    score[to] = value
    made[to] = sound
  }
  letters.forEach((letter, i) => {
    for (let j = 0; j < width; j += 1) {
      const from = i * width + j
      if (score[from] === -Infinity) continue
      // Before anything is known, one phone per letter is likely.
      reach(from, from + width, letter, 0, -6)
      if (j + 1 < width) reach(from, from + width + 1, letter, 1 + phones[j]!, -2)
      if (j + 2 < width) reach(from, from + width + 2, letter, 1 + names + phones[j]! * names + phones[j + 1]!, -6)
    }
  })
  if (score.at(-1) === -Infinity) return null
  const path: number[] = []
  for (let i = letters.length, j = phones.length; i > 0; i -= 1) {
    const sound = made[i * width + j]!
    path.push(sound)
    j -= sound === 0 ? 0 : sound <= names ? 1 : 2
  }
  return path.reverse()
}
