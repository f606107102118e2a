import { numbersOf } from '../language/number-words.ts'
import { tokensOf } from '../language/tokens.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import { asksYesOrNo, choiceOf, isForeign } from '../matching/comparison.ts'
import type { Question } from '../matching/question.ts'
import { matchStrength, termsOf } from '../matching/terms.ts'
import type { Term } from '../matching/terms.ts'
import type { Candidate } from './candidates.ts'

/**
 * A verdict on a question for yes or no, or for one of two things: a word or name of the question, and the sentences that decide it.
 *
 * - A comparison is decided by one value for each thing, a year or a number of the same unit, found in a sentence about that thing.
 * - A choice is decided by a sentence that holds the rest of the question and one option, when no such sentence holds the other one.
 * - "Yes" and "no" need a sentence that holds nearly every word of the question, its names in the same order; "no" needs its negation.
 *
 * What the sentences leave open gets no verdict: the answer then only quotes them.
 */
export interface Verdict {
  word: string
  sentences: readonly Candidate[]
}

export function verdictOn(question: Question, candidates: readonly Candidate[]): Verdict | null {
  const whole = candidates.filter(({ whole, text }) => whole && !text.endsWith('?'))
  const pair = comparedPair(question.text)
  if (pair !== null) return comparisonVerdict(question, pair, whole)
  const choice = choiceOf(question.text)
  if (choice !== null) return choiceVerdict(question, choice, whole)
  if (!asksYesOrNo(question.text)) return null
  return sharedVerdict(question.text, whole) ?? plainVerdict(question, whole)
}

// ---- Comparisons by a value ----

interface Order {
  /** What is compared: points in time, or numbers of one unit. */
  by: 'year' | 'number'
  least: boolean
}

interface Pair {
  first: string
  second: string
  order: Order
  /** True when "yes" means that the first one is it; false when the question asks which one. */
  isClaim: boolean
  /** What is compared, when the question leaves it to the adjective. */
  predicate: RegExp | null
}

const EARLIER = /\b(?:first|earlier|earliest|older|oldest|before|sooner|longer ago)\b/i
const LATER = /\b(?:later|latest|newer|newest|younger|youngest|after|last|more recent(?:ly)?)\b/i
const MORE =
  /\b(?:larger|bigger|longer|taller|higher|heavier|deeper|wider|faster|greater|more|most|largest|biggest|longest|tallest|highest|heaviest|deepest|widest|fastest)\b/i
const LESS =
  /\b(?:smaller|shorter|lower|lighter|slower|fewer|less|least|smallest|shortest|lowest|lightest|slowest|fewest|narrower)\b/i
/** Comparisons that one value a side does not decide. */
const UNDECIDED = /\b(?:lived longer|live longer|first(?:ly)? name|last name|not|n['’]t|than any|most likely)\b/i
const AGE = /\b(?:older|oldest|younger|youngest|newer|newest)\b/i
const BEGINNING =
  /\b(?:born|founded|established|built|created|opened|launched|released|published|completed|formed|started|began|introduced|signed|incorporated|premiered)\b/i

function orderOf(text: string): Order | null {
  if (UNDECIDED.test(text)) return null
  const found: Order[] = []
  if (EARLIER.test(text)) found.push({ by: 'year', least: true })
  if (LATER.test(text)) found.push({ by: 'year', least: false })
  if (MORE.test(text) && !/\bmore recent/i.test(text)) found.push({ by: 'number', least: false })
  if (LESS.test(text)) found.push({ by: 'number', least: true })
  return found.length === 1 ? found[0]! : null
}

const CLAIM =
  /^(?:is|are|was|were|did|does|do|has|have)\s+(.+?)\s+(?:(?:\p{Ll}+\s+){0,5}?)(\p{Ll}+)?\s*\b(?:than|before|after)\s+(?:the\s+)?(\p{Lu}[^?,]*?)(?:\s+(?:was|were|is|did|came|had)\b[^?]*)?\?/u

/** The patterns below recognize names by their capitals: the first word of the question has none. */
const opened = (text: string): string => text.trim().replace(/^./u, (letter) => letter.toLowerCase())

function comparedPair(text: string): Pair | null {
  const order = orderOf(text)
  if (order === null) return null
  const predicate = AGE.test(text) ? BEGINNING : null
  const choice = choiceOf(text)
  if (choice !== null) return { first: choice[0], second: choice[1], order, isClaim: false, predicate }
  const claim = CLAIM.exec(opened(text))
  const subject =
    claim === null ? null : /^(?:the\s+)?((?:\p{Lu}[\p{L}\d.'’-]*\s?(?:of |the |de |v )?)+)/u.exec(`${claim[1]!} `)
  if (subject === null) return null
  return {
    first: withForeignWords(subject[1]!.trim(), text),
    second: claim![3]!.trim(),
    order,
    isClaim: true,
    predicate,
  }
}

/** A name with the lower-case words of no English dictionary that go on with it in a text. */
function withForeignWords(name: string, text: string): string {
  const words =
    text
      .slice(text.indexOf(name) + name.length)
      .match(/^(?: \p{Ll}+)+/u)?.[0]
      .trim() ?? ''
  const all = words.split(' ')
  const own = all.slice(
    0,
    Math.max(
      0,
      all.findIndex((word) => !isForeign(word)),
    ),
  )
  return [name, ...own].join(' ')
}

/** The noun right after the question word, such as `cheese` in "Which cheese received …": what is asked for. */
function askedNoun(text: string): string | null {
  const [first, noun] = taggedTokens(text)
  return first !== undefined && /^(?:which|what)$/i.test(first.text) && noun?.pos === 'NOUN'
    ? noun.text.toLowerCase()
    : null
}

interface Value {
  value: number
  unit: string | null
  sentence: Candidate
}

function comparisonVerdict(question: Question, pair: Pair, candidates: readonly Candidate[]): Verdict | null {
  const { first, second, order } = pair
  const optionRoots = new Set([...termsOf(first), ...termsOf(second)].map(({ root }) => root))
  const noun = askedNoun(question.text)
  const rest = question.terms.filter(
    ({ root, norm }) =>
      !optionRoots.has(root) &&
      !question.focus.has(root) &&
      norm !== noun &&
      orderOf(norm) === null &&
      !MEASURE.test(norm),
  )
  const asked = { pair, rest: pair.predicate === null ? rest : [] }
  const ours = valuesOf(first, second, asked, candidates)
  const theirs = valuesOf(second, first, asked, candidates)
  // Two different values for one thing decide nothing.
  const agreed = ours.flatMap((one) =>
    theirs.filter(({ unit }) => unit === one.unit).map((other) => [one, other] as const),
  )
  const signs = new Set(agreed.map(([one, other]) => Math.sign(one.value - other.value)))
  if (agreed.length === 0 || signs.size !== 1 || signs.has(0)) return null
  const firstIsIt = signs.has(order.least ? -1 : 1)
  const word = pair.isClaim ? (firstIsIt ? 'Yes' : 'No') : firstIsIt ? first : second
  const sentences = agreed[0]!.map(({ sentence }) => sentence)
  return { word, sentences: [...new Set(sentences)] }
}

const MEASURE =
  /^(?:than|length|height|size|long|high|tall|large|big|deep|wide|heavy|fast|old|young|small|short|year|time|come|came|out|which|two)$/i

/** The sentences about one of two things that give its value. */
function valuesOf(
  name: string,
  other: string,
  { pair, rest }: { pair: Pair; rest: readonly Term[] },
  candidates: readonly Candidate[],
): Value[] {
  return candidates.flatMap((sentence): Value[] => {
    if (!isAbout(name, other, sentence)) return []
    const isLifetime = pair.order.by === 'year' && asksForBirth(pair, rest) && LIFETIME.test(sentence.text)
    if (!isLifetime && rest.length > 0 && !rest.every((term) => matchStrength(term, sentence.own) >= 0.4)) return []
    const values = pair.order.by === 'year' ? yearsIn(sentence.text, pair, rest) : measuresIn(sentence.text)
    return values.map((value) => ({ ...value, sentence }))
  })
}

/** A sentence that names one thing and not the other, or goes on by a pronoun under its title or after its name. */
function isAbout(name: string, other: string, { text, own, near }: Candidate): boolean {
  const namedIn = (thing: string, index: Candidate['own']): boolean => {
    const terms = termsOf(thing)
    return terms.length > 0 && terms.every(({ root, norm }) => index.roots.has(root) || index.norms.has(norm))
  }
  if (namedIn(other, own)) return false
  if (namedIn(name, own)) return true
  return /^(?:he|she|it|they|its|his|her|their)\b/i.test(text) && namedIn(name, near) && !namedIn(other, near)
}

const YEAR =
  /(?<![\p{L}\d.,-])(1\d{3}|20\d{2})(?![\d%]|,\d)(?!\s*(?:km|m|metres|meters|miles|people|tons|tonnes|feet)\b)/gu

/** "(1802 – 1866)", "(born 12 March 1958)". */
const LIFETIME = /\((?:born )?[^()]*?(1\d{3}|20\d{2})\s*[–-]\s*[^()]*\)|\(born [^()]*?(1\d{3}|20\d{2})[^()]*\)/u

const asksForBirth = ({ predicate }: Pair, rest: readonly Term[]): boolean =>
  predicate !== null || rest.some(({ norm }) => norm === 'born' || norm === 'birth')

/** The year that belongs to what is compared: the first one after its verb, or that of a birth in brackets after a name. */
function yearsIn(text: string, pair: Pair, rest: readonly Term[]): { value: number; unit: null }[] {
  const years = [...text.matchAll(YEAR)].map((match) => ({ value: Number(match[1]), at: match.index }))
  if (years.length === 0) return []
  const lifetime = LIFETIME.exec(text)
  if (lifetime !== null && asksForBirth(pair, rest)) return [{ value: Number(lifetime[1] ?? lifetime[2]), unit: null }]
  const verb = pair.predicate === null ? positionOf(text, rest) : (pair.predicate.exec(text)?.index ?? -1)
  if (verb === -1) return []
  const next = years.find(({ at }) => at > verb) ?? (years.length === 1 ? years[0] : undefined)
  // A clause of its own between the verb and the year is about something else.
  if (
    next === undefined ||
    /[;]|, (?:and|but|while|who|which) /.test(text.slice(Math.min(verb, next.at), Math.max(verb, next.at)))
  )
    return []
  return [{ value: next.value, unit: null }]
}

function positionOf(text: string, rest: readonly Term[]): number {
  const roots = new Set(rest.map(({ root }) => root))
  const found = tokensOf(text).find((token) => termsOf(token.text).some(({ root }) => roots.has(root)))
  return found?.start ?? (rest.length === 0 ? 0 : -1)
}

const UNIT =
  /^(?:\s|-)*(kilomet(?:re|er)s?|km|met(?:re|er)s?|m|miles?|feet|ft|cm|mm|kg|kilograms?|grams?|tonn?e?s|pounds?|hectares?|acres?|litres?|°?c|degrees|%|per ?cent|people|inhabitants|members|employees|students|readers|seats|pages|episodes|judges|players|titles|copies|years|days|hours|minutes|points|goals|wins|moons|floors|storeys|stories|square (?:kilomet(?:re|er)s|miles|met(?:re|er)s))\b/i
const UNIT_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:kilomet|km$)/, 'km'],
  [/^(?:met(?:re|er)|m$)/, 'm'],
  [/^(?:people|inhabitants)/, 'people'],
  [/^(?:%|per)/, '%'],
  [/^mile/, 'mile'],
]

function measuresIn(text: string): { value: number; unit: string }[] {
  const tokens = tokensOf(text)
  const all = numbersOf(tokens).flatMap(({ value, to }) => {
    const unit = UNIT.exec(text.slice(tokens[to - 1]!.end))?.[1]?.toLowerCase()
    if (unit === undefined) return []
    return [{ value, unit: UNIT_NAMES.find(([pattern]) => pattern.test(unit))?.[1] ?? unit.replace(/s$/, '') }]
  })
  // A unit that a sentence gives twice does not show which of the two is meant.
  return all.filter(({ unit }) => all.filter((one) => one.unit === unit).length === 1)
}

// ---- One of two things ----

const NEGATION =
  /\b(?:not|never|no|nor|neither|none|without|cannot|refus(?:e[sd]?|ing)|fail(?:s|ed)? to|instead of|rather than)\b|n['’]t\b/i
const HEDGE =
  /\b(?:may|might|could|would|should|possibly|perhaps|probably|allegedly|reportedly|rumou?red|claim(?:s|ed)?|believed?|denie[sd]|denied|suspected|supposed(?:ly)?|planned|proposed|hoped|wanted|tried|almost|nearly|unless|if|whether|sometimes|often|some|rarely|seldom|hardly|only|accused|expected|said to|thought to)\b/i

/** Share of the terms that a sentence must hold in words of the same root; its subject may be named just before. */
const LEAST_HELD = 0.85

function held(terms: readonly Term[], { own, near }: Candidate, names: ReadonlySet<string>): number {
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  const met = terms.reduce((sum, term) => {
    const isHeld = matchStrength(term, own) >= 0.9 || (names.has(term.root) && matchStrength(term, near) >= 0.9)
    return sum + (isHeld ? term.weight : 0)
  }, 0)
  return all === 0 ? 0 : met / all
}

function choiceVerdict(
  question: Question,
  [first, second]: readonly [string, string],
  candidates: readonly Candidate[],
): Verdict | null {
  const options = [termsOf(first), termsOf(second)] as const
  const shared = new Set(
    options[0].map(({ root }) => root).filter((root) => options[1].some((term) => term.root === root)),
  )
  const isOption = (root: string): boolean => options.some((terms) => terms.some((term) => term.root === root))
  const rest = question.terms.filter(({ root }) => !isOption(root) && !question.focus.has(root))
  if (rest.length === 0 || NEGATION.test(question.text)) return null
  const names = new Set(question.names.flat())
  const supporting = candidates.filter((candidate) => held(rest, candidate, names) >= LEAST_HELD)
  const holds = (terms: readonly Term[], { own }: Candidate): boolean => {
    const own_ = terms.filter(({ root }) => !shared.has(root))
    return own_.length > 0 && own_.every((term) => matchStrength(term, own) >= 0.9)
  }
  const [ours, theirs] = options.map((terms) => supporting.filter((candidate) => holds(terms, candidate))) as [
    Candidate[],
    Candidate[],
  ]
  const chosen = ours.length > 0 ? ours : theirs
  if (chosen.length === 0 || (ours.length > 0 && theirs.length > 0)) return null
  const [sentence] = chosen
  if (NEGATION.test(sentence!.text) || HEDGE.test(sentence!.text)) return null
  return { word: ours.length > 0 ? first : second, sentences: [sentence!] }
}

// ---- Yes and no ----

const SHARED =
  /^(?:is|are|was|were|do|did|does|have|has)\s+(?:the\s+)?(\p{Lu}[^,?]*?)\s+and\s+(?:the\s+)?(\p{Lu}(?:[^\s,?]*)(?:\s+(?:of|the|de|van|von)?\s*[\p{Lu}\d][^\s,?]*)*)\s+(.+)\?/u
const NATIONALITY =
  /\b(?:is|was|were|are) (?:an? |the )?(?:[\p{Ll}-]+ ){0,2}?(\p{Lu}\p{Ll}+(?:ian|ean|an|ish|ese|ch|i|sh|ic))\b/u

/** Whether something holds for both of two named things: each needs a sentence of its own. */
function sharedVerdict(text: string, candidates: readonly Candidate[]): Verdict | null {
  const match = SHARED.exec(opened(text))
  if (match === null || NEGATION.test(text)) return null
  const [, first, second, claim] = match
  if (/\bsame nationality\b|\bfrom the same country\b/i.test(claim!)) {
    const [ours, theirs] = [nationality(first!, second!, candidates), nationality(second!, first!, candidates)]
    if (ours === null || theirs === null) return null
    return { word: ours.adjective === theirs.adjective ? 'Yes' : 'No', sentences: [ours.sentence, theirs.sentence] }
  }
  if (/\b(?:same|each other|together|different|meet|met)\b/i.test(claim!)) return null
  const terms = termsOf(claim!.replace(/\bboth\b/i, ' '))
  const stating = (name: string, other: string): Candidate | undefined =>
    candidates.find(
      (candidate) =>
        isAbout(name, other, candidate) &&
        held(terms, candidate, new Set()) >= LEAST_HELD &&
        !NEGATION.test(candidate.text) &&
        !HEDGE.test(candidate.text),
    )
  const [ours, theirs] = [stating(first!, second!), stating(second!, first!)]
  return terms.length === 0 || ours === undefined || theirs === undefined
    ? null
    : { word: 'Yes', sentences: [ours, theirs] }
}

function nationality(name: string, other: string, candidates: readonly Candidate[]) {
  for (const sentence of candidates) {
    const adjective = isAbout(name, other, sentence) ? NATIONALITY.exec(sentence.text)?.[1] : undefined
    if (adjective !== undefined) return { adjective, sentence }
  }
  return null
}

function plainVerdict(question: Question, candidates: readonly Candidate[]): Verdict | null {
  if (NEGATION.test(question.text) || HEDGE.test(question.text) || question.terms.length < 2) return null
  const names = new Set(question.names.flat())
  const stating = candidates.filter(
    (candidate) => held(question.terms, candidate, names) >= LEAST_HELD && keepsOrder(question, candidate),
  )
  const [sentence] = stating
  if (sentence === undefined || HEDGE.test(sentence.text)) return null
  const isNegated = NEGATION.test(sentence.text)
  // Sentences that disagree, or that deny only a part, decide nothing.
  if (stating.some(({ text }) => NEGATION.test(text) !== isNegated) || (isNegated && !deniesItself(sentence.text)))
    return null
  return { word: isNegated ? 'No' : 'Yes', sentences: [sentence] }
}

/** A sentence of one clause whose own verb is negated. */
const deniesItself = (text: string): boolean =>
  /\b(?:is|are|was|were|do|does|did|has|have|had|can|must|will) (?:not|never)\b|\bcannot\b|n['’]t\b|\bnever\b/i.test(
    text,
  ) && !/[,;:]|\b(?:but|because|until|although|although|while|without|before|after|only|when)\b/i.test(text)

/** "Did Ada teach Ben?" is not stated by "Ben taught Ada"; a passive may turn the two round. */
function keepsOrder(question: Question, { text }: Candidate): boolean {
  const roots = (words: string): string[] =>
    tokensOf(words).flatMap((token) => termsOf(token.text).map(({ root }) => root))
  const inText = roots(text)
  const at = question.names
    .map((name) => inText.findIndex((root) => name.includes(root)))
    .filter((index) => index !== -1)
  const isOrdered = at.every((index, next) => next === 0 || index >= at[next - 1]!)
  return isOrdered || (/\bby\b/i.test(text) !== /\bby\b/i.test(question.text) && at.length === 2)
}
