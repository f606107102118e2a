import { commonBand } from '../language/common-words.ts'
import type { EntityType } from '../../prompts/extract-task.ts'

// Terms of art that are written in lower case: a head noun of a field with the word that makes it a term ("scarlet fever"), a word whose
// ending only a field has ("erythromycin"), or a borrowed phrase ("force majeure"). A head noun alone, or after an everyday adjective, is
// no term.

/** A term with its offsets in a text. */
export interface TermOfArt {
  text: string
  start: number
  end: number
  kind: EntityType
}

const CONDITION_HEAD =
  'syndrome|disease|disorder|fever|cough|palsy|carcinoma|sclerosis|anaemia|anemia|deficiency|poisoning'
const SALT =
  'oxide|dioxide|monoxide|chloride|hydroxide|sulphate|sulfate|sulphide|sulfide|nitrate|carbonate|phosphate|peroxide|bromide|fluoride'

const PATTERNS: readonly (readonly [EntityType, RegExp])[] = [
  ['condition', new RegExp(`(\\p{L}[\\p{Ll}-]{3,}) (?:${CONDITION_HEAD})(?![\\p{L}-])`, 'gu')],
  ['condition', /((?:insulin|antibiotic|drug)) resistance|((?:heart|kidney|renal|liver|respiratory) failure)/giu],
  ['condition', /((?:type [12]|gestational)) diabetes/giu],
  ['law', /((?:strict|vicarious|joint|limited|product)) liability|((?:gross|contributory)) negligence/giu],
  ['law', /((?:punitive|liquidated)) damages|((?:due)) process|((?:sovereign|diplomatic)) immunity/giu],
  [
    'law',
    /(force) majeure|(habeas) corpus|(res) judicata|(mens) rea|(actus) reus|(stare) decisis|(prima) facie|(ultra) vires|(bona) fide/giu,
  ],
  ['substance', new RegExp(`(\\p{L}[\\p{Ll}-]{2,}) (?:${SALT})(?![\\p{L}-])`, 'gu')],
  ['substance', /(?<![\p{L}-])((?:\p{L}\p{Ll}{2,}ic|amino|fatty)) acids?(?![\p{L}-])/gu],
  [
    'substance',
    /(?<![\p{L}-])(\p{Ll}{3,}(?:mycin|cillin|olol|statin|prazole|sartan|azepam|azolam|cycline|dipine|formin|solone|sone|profen|caine))(?![\p{L}-])/gu,
  ],
  [
    'technique',
    /(?<![\p{L}-])((?:\p{Ll}{3,} )?\p{Ll}*(?:spectrometry|spectroscopy|chromatography|calorimetry|microscopy|tomography|crystallography))(?![\p{L}-])/gu,
  ],
  ['technique', /((?:machine|deep|reinforcement|transfer|supervised|unsupervised|federated)) learning/giu],
  ['technique', /((?:radiocarbon|carbon)) dating|(single) sign-on|((?:public-key|end-to-end)) encryption/giu],
]

/** Words that make no term of the head noun after them. */
const EVERYDAY =
  /^(?:this|that|these|those|which|what|some|same|such|other|another|every|each|most|many|more|first|second|third|last|next|rare|common|severe|mild|high|slight|serious|chronic|acute|fatal|deadly|dreaded|unknown|mysterious|strange|terrible|infectious|contagious|with|from|from|into|after|against|their|your|called|against|about|have|having|caused|causes|cause|treat|treated|treats|like|also|then|only|used|using|when|where|while|rather|new|the|and|for|his|her|its|our|than|through)$/i

/** What a name in front of it makes a term: "Marfan syndrome", "Crohn's disease", "the Coriolis effect". */
export const NAMED_TERM =
  /^(?:['’]s)? (syndrome|disease|disorder|palsy|belt|effect|theorem|paradox|constant|equation|principle)(?![\p{L}-])/u

const NAMED_KIND: Readonly<Record<string, EntityType>> = {
  syndrome: 'condition',
  disease: 'condition',
  disorder: 'condition',
  palsy: 'condition',
  belt: 'place',
}

/** The type of a term that ends with this head noun after a name. */
export const kindOfNamedTerm = (head: string): EntityType => NAMED_KIND[head] ?? 'concept'

/** The lower-case terms of art of a plain text, in order, none inside another. */
export function termsOfArt(text: string): TermOfArt[] {
  const found = PATTERNS.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].flatMap((match): TermOfArt[] => {
      const first = /^[\p{L}-]+/u.exec(match[0])![0]
      const start = match.index + (EVERYDAY.test(first) ? first.length + 1 : 0)
      const term = text.slice(start, match.index + match[0].length)
      const isCut = /[\p{L}\p{N}-]/u.test(text[match.index - 1] ?? '')
      if (isCut || isHeadAlone(term) || (/ acids?$/.test(term) && commonBand(first) !== null)) return []
      // A capital that does not open the sentence belongs to a name.
      if (/^\p{Lu}/u.test(term) && start > 0) return []
      return [{ text: term, start, end: start + term.length, kind }]
    }),
  )
  const ordered = found.toSorted((a, b) => a.start - b.start || b.end - a.end)
  return ordered.filter((term, at) => !ordered.slice(0, at).some(({ end }) => end > term.start))
}

const HEAD_ALONE = new RegExp(`^(?:${CONDITION_HEAD}|${SALT})$`, 'u')
const isHeadAlone = (term: string): boolean => HEAD_ALONE.test(term) || term === ''
