import { baseForm } from './irregular-forms.ts'
import { memoized } from './memo.ts'
import { wink } from './wink.ts'

const LONGEST_WORD = 40

/** Forms that an inflected word may be looked up by. */
function* lookups(norm: string): Generator<string> {
  yield norm
  yield baseForm(norm)
  for (const [ending, base] of [
    [/ies$/, 'y'],
    [/ied$/, 'y'],
    [/e?s$/, ''],
    [/s$/, ''],
    [/men$/, 'man'],
    [/e?d$/, ''],
    [/d$/, ''],
    [/(\w)\1(?:ed|ing)$/, '$1'],
    [/ing$/, ''],
    [/ing$/, 'e'],
    [/ly$/, ''],
  ] as const) {
    if (ending.test(norm) && norm.length > 4) yield norm.replace(ending, base)
  }
}

/** True for an English dictionary word in normal form, inflected or not; false for most proper names. */
export const isEnglishWord: (norm: string) => boolean = memoized(20_000, (norm) => {
  if (norm.length > LONGEST_WORD) return false
  const { isLexeme } = wink()
  for (const form of lookups(norm)) if (form.length > 1 && isLexeme(form)) return true
  return false
})
