/** Words that carry no content of their own. */
const FUNCTION_WORDS = new Set(
  `a an the this that these those of in on at to by for from with without into onto over under between among about as than then and or
   but nor so if because while when where who whom whose which what why how is are was were be been being am do does did done has have had
   having will would can could shall should may might must it its he his him she her they their them we our us you your i my me not no
   there here also both each any some all such only own same other more most very just up out off down again`.split(
    /\s+/,
  ),
)

/** Those that are names as well, where they are written as such: the month, the man. */
const NAMES_TOO = new Set(['may', 'will'])

/** A word of a text with what it is worth as evidence. */
export interface Term {
  stem: string
  /** 3 for numbers and codes, 2 for names within a sentence, 1 otherwise. */
  weight: number
}

const WORD = /[\p{L}\p{N}]+(?:[-'’.][\p{L}\p{N}]+)*/gu

/** Cuts common English endings, so that `opened`, `opens` and `open` are one. Rough on purpose: both sides are cut alike. */
export function stemOf(word: string): string {
  const plain = word.replace(/['’]s$/, '')
  if (plain.length < 4 || /\d/.test(plain)) return plain
  const cut = plain
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:ations?|ators?)$/, 'ate')
    .replace(/(?:ing|edly|ed|ers?|ly|es|s)$/, '')
  return (cut.length < 3 ? plain : cut).replace(/(.)\1$/, '$1').replace(/e$/, '')
}

/** The content words of a text in order, names and numbers marked by their weight. */
export function termsOf(text: string): Term[] {
  const normal = text.normalize('NFKC')
  const terms: Term[] = []
  for (const match of normal.matchAll(WORD)) {
    const [word] = match
    const lower = word.toLowerCase()
    const startsSentence = /(?:^|[.!?:\n"“(])\s*$/.test(normal.slice(Math.max(0, match.index - 3), match.index))
    const isName = /^\p{Lu}/u.test(word) && !startsSentence
    if (FUNCTION_WORDS.has(lower) && !(isName && NAMES_TOO.has(lower))) continue
    terms.push({ stem: stemOf(lower), weight: /\p{N}/u.test(word) ? 3 : isName ? 2 : 1 })
  }
  return terms
}

/** Sentences and list lines of a text, blank ones left out. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}"“(])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

/** The heaviest weight of each stem. */
export function weights(terms: Iterable<Term>): Map<string, number> {
  const heaviest = new Map<string, number>()
  for (const { stem, weight } of terms) heaviest.set(stem, Math.max(weight, heaviest.get(stem) ?? 0))
  return heaviest
}
