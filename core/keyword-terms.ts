/**
 * Text is matched with the keyword index in this way. The index stems English (Porter) and splits at punctuation, so "repaired" finds "repairs" but a
 * code such as A-1204 falls into its parts. Two things make codes exact terms again:
 * - a compound in a query is searched as a phrase of its parts, so A-1204 never matches A-1205 or a lone E;
 * - a compound with letters and digits is also indexed joined (a1204, column `codes`), so a text with the very code outranks one
 *   where it is part of a longer code, and A1204 finds A-1204 and the other way round.
 */
const COMPOUND = /[\p{L}\p{N}\p{M}]+(?:[-_./:+#'’‑–][\p{L}\p{N}\p{M}]+)*/gu
const JOINER = /[-_./:+#'’‑–]/u
const CONTRACTION = /['’](?:s|t|d|m|re|ve|ll)$/iu
const MAX_TERMS = 128
const MAX_TERM_LENGTH = 256

/**
 * Function words. They occur in more than half of all passages, where FTS5 gives a term a weight of
 * almost zero anyway; leaving them out only saves the time of scoring nearly every passage.
 */
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can could did
  do does doing don down during each few for from further had has have having he her here hers him his how i if in into is it its
  itself just me more most my no nor not now of off on once only or other our ours out over own same she should so some such
  than that the their theirs them then there these they this those through to too under until up upon us very was we were what
  when where which while who whom whose why will with would you your yours
  aren couldn didn doesn hadn hasn haven isn mightn mustn needn shouldn wasn weren won wouldn`.split(/\s+/),
)

/** Tokenizer of the keyword index of SQLite. */
export const KEYWORD_TOKENIZER = 'porter unicode61 remove_diacritics 2'

/** The codes of a text (compounds with letters and digits) as the index keeps them beside the words: joined, in lower case. */
export function joinedCodes(text: string): string[] {
  const codes = new Set<string>()
  for (const [compound] of text.matchAll(COMPOUND)) {
    const code = joinedCode(compound)
    if (code !== null) codes.add(code)
  }
  return [...codes]
}

/** An FTS5 query that finds passages with any term of the text, whatever the text is; null when it has no terms. */
export function keywordQuery(text: string): string | null {
  const terms = keywordTerms(text)
  return terms.length === 0 ? null : terms.map(quoted).join(' OR ')
}

/** A term as FTS5 reads it: terms hold letters, digits, marks and joiners only, so there is no quote to escape. */
export const quoted = (term: string): string => `"${term}"`

/** The terms of a text in lower case: content words, compounds with their parts, codes; the function words of a text that has nothing else. */
export function keywordTerms(text: string): string[] {
  const compounds = (text.match(COMPOUND) ?? []).map((compound) => compound.replace(CONTRACTION, ''))
  const content = compounds.filter((compound) => !isStopWord(compound))
  const terms = new Set<string>()
  for (const compound of content.length > 0 ? content : compounds) {
    for (const term of termsOf(compound)) {
      if (term.length <= MAX_TERM_LENGTH) terms.add(term)
    }
    if (terms.size >= MAX_TERMS) break
  }
  return [...terms]
}

function termsOf(compound: string): string[] {
  const parts = compound.toLowerCase().split(JOINER)
  if (parts.length === 1) return parts
  const code = joinedCode(compound)
  const words = parts.filter((part) => part.length > 1 && !STOP_WORDS.has(part))
  return [parts.join('-'), ...(code === null ? [] : [code]), ...words]
}

function joinedCode(compound: string): string | null {
  if (!JOINER.test(compound) || !/\p{N}/u.test(compound) || !/\p{L}/u.test(compound)) return null
  const joined = compound.toLowerCase().split(JOINER).join('')
  return joined.length <= MAX_TERM_LENGTH ? joined : null
}

/** Capitals are kept: "IT", "US" and "WHO" are names where "it", "us" and "who" are not. */
const isStopWord = (word: string): boolean =>
  STOP_WORDS.has(word.toLowerCase()) && !(word.length > 1 && word === word.toUpperCase())
