/** Words after which a verb is likely, and words after which a noun is. */
const BEFORE_VERB = new Set(
  "to will would can could may might must shall should not don't didn't won't i you we they who".split(' '),
)
const BEFORE_NOUN = new Set(
  'a an the this these those my your his her its our their each every no any some one of in on by for'.split(' '),
)

/**
 * The pronunciation that fits the word before: English stresses many words of two syllables on the first as nouns and on the last as verbs, such
 * as `record`. The first of them where the word before tells nothing, or where they do not differ so.
 */
export function fittingStress(variants: readonly (readonly string[])[], before: string | null): readonly string[] {
  const [first] = variants
  if (first === undefined) throw new Error('a word without a pronunciation')
  if (before === null) return first
  const noun = variants.find((phones) => stressedSyllable(phones) === 'first')
  const verb = variants.find((phones) => stressedSyllable(phones) === 'last')
  if (noun === undefined || verb === undefined) return first
  return BEFORE_VERB.has(before) ? verb : BEFORE_NOUN.has(before) ? noun : first
}

/** Which of two syllables bears the stress; null for words of another length. */
function stressedSyllable(phones: readonly string[]): 'first' | 'last' | null {
  const stresses = phones.filter((phone) => /\d$/.test(phone)).map((phone) => phone.at(-1))
  if (stresses.length !== 2) return null
  return stresses[0] === '1' ? 'first' : stresses[1] === '1' ? 'last' : null
}
