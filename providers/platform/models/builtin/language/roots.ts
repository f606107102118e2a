import { baseForm } from './irregular-forms.ts'
import { memoized } from './memo.ts'
import type { Token } from './tokens.ts'
import { wink } from './wink.ts'

/**
 * British and American spellings as one. Each rule looks only at what comes before the ending, so that all
 * inflections of a word change together: `organise` does, `raise` and `rising` do not.
 */
const respell = (word: string): string =>
  word
    .replace(/([a-z]{3}[^aeiou])is(e|ed|es|er|ers|ing|ation|ations)$/, '$1iz$2')
    .replace(/([a-z]{2})our(|s|ed|ing|er|ers|able)$/, '$1or$2')
    .replace(/(met|lit|cent|fib|theat)re(s?)$/, '$1er$2')

/** Longer strings of letters are not words; the stemmer would take the square of their length. */
const LONGEST_WORD = 40

/** Returns what the inflected forms of a word in normal form share: `builders`, `built` and `building` come close to `build`. */
export const rootOfWord: (norm: string) => string = memoized(20_000, (norm) =>
  norm.length > LONGEST_WORD ? norm : wink().stem(respell(baseForm(norm))),
)

/** The root of a word; numbers and codes are their own root. */
export function rootOf(token: Token): string {
  return token.kind === 'word' ? rootOfWord(token.norm) : token.norm
}
