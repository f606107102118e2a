import { namesOf } from '../language/names.ts'
import { typeOfNoun } from '../language/name-words.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'

/** Kinds of texts and of their parts. */
const TEXT_NOUN =
  '(?:manual|handbook|guide|guidelines?|report|article|paper|study|leaflet|brochure|label|recipe|letter|memo|minutes|interview|speech|preface|foreword|introduction|summary|conclusion|abstract|appendix|annex|footnotes?|chapter|section|subsection|paragraph|clause|passage|page|act|scene|stanza|table|figure|contract|agreement|lease|deed|policy|terms(?: of use| and conditions)?|readme|release notes|notes|documentation|specification|instructions|document|text|transcript|statement|warning|notice)'
const STATES =
  '(?:says?|states?|describes?|recommends?|explains?|mentions?|requires?|allows?|reveals?|defines?|lists?|warns?|advises?|claims?|argues?|prohibits?|suggests?|conclude[sd]?|thank)'

const REFERENCES: readonly RegExp[] = [
  new RegExp(
    `\\b(?:according to|as (?:stated|described|written|defined) in|per|in|under|by) the (?:[\\p{L}-]+ ){0,3}?${TEXT_NOUN}\\b`,
    'iu',
  ),
  new RegExp(`\\b(?:do|does|did) the (?:[\\p{L}-]+ ){0,2}?${TEXT_NOUN}(?: [\\p{L}]+){0,3}? ${STATES}\\b`, 'iu'),
  /\bin (?:chapter|section|act|scene|part|appendix|table|figure) (?:\d+|[ivx]+|one|two|three|four|five)\b/i,
  // "this agreement", "this?": the thing is named elsewhere; "that" only beside a text or a case, because it also opens clauses.
  // A quiz question opens with "This team …" and goes on to describe it.
  /(?<!^\s*)\bthis(?! (?:year|week|month|century|day))\b|\bthese\b|\bthose\b/i,
  new RegExp(`\\bthat (?:case|${TEXT_NOUN})\\b|\\b(?:after|before|about|with|of) that\\s*\\?`, 'i'),
  /\bthe (?:above|following|aforementioned|previous|preceding)\b|\bdescribed (?:here|above|below)\b/i,
  // Roles that a text gives to someone whose name it gives elsewhere.
  /\bthe (?:narrator|protagonist|plaintiff|defendant|claimant|appellant|author(?! of))\b/i,
  /(?<!\b(?:is|are|was|were|be) )\bthere(?! (?:is|are|was|were|be|any|a)\b)/i,
]

const PERSONAL = new Set(['he', 'she', 'him', 'her', 'his', 'hers'])
const OTHER = new Set(['it', 'its', 'they', 'them', 'their'])
/** "How long does it take to …", "Is it legal to …": the pronoun points at what follows. */
const EMPTY_IT = /\bit (?:takes?|costs?(?= to [a-z]+ an?\b)|means)\b|\b(?:is|was) it \p{L}+ (?:to|that|for)\b/iu
const ASKING = /^(?:which|what|whose|many|much)$/i
const AUXILIARY = /^(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must|may)$/i

/** A noun, or a plural that the tagger takes for a verb ("leaves"). */
const isThing = ({ pos, text }: TaggedToken): boolean => pos === 'NOUN' || (pos === 'VERB' && /[^s]s$/.test(text))

/** True when a pronoun has nothing in the question that it can refer to. */
function hasFreePronoun(text: string): boolean {
  const tokens = taggedTokens(text)
  const names = namesOf(text)
  return tokens.some((token, at) => {
    const word = token.text.toLowerCase()
    const isPersonal = PERSONAL.has(word)
    if (!isPersonal && !OTHER.has(word)) return false
    if (word === 'it' && EMPTY_IT.test(text)) return false
    if (names.some(({ end }) => end <= token.start)) return false
    return !tokens.slice(0, at).some((before, index) => {
      if (!isThing(before)) return false
      // "Which side did they support?": what is asked for is not who they are; but "which actor left his troupe?".
      if (ASKING.test(tokens[index - 1]?.text ?? '') && AUXILIARY.test(tokens[index + 1]?.text ?? '')) return false
      return !isPersonal || ['person', 'group'].includes(typeOfNoun(before.text) ?? '')
    })
  })
}

/** True when a question asks what a certain text states, or speaks of something that only the text around it names. */
export const refersToItsText = (text: string): boolean =>
  REFERENCES.some((reference) => reference.test(text)) || hasFreePronoun(text)
