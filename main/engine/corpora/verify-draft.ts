import type { RawDraft } from '../../../contract/http/draft.ts'
import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { classOfHops, questionClass, type QuestionClass } from '../../../contract/question-classes.ts'
import { evidenceWords } from '../../lib/text/evidence-words.ts'
import { nearestPassage } from '../../manifests/datasets/gold-problems.ts'
import { createLocator } from './gold-spans.ts'

// A model may quote what no document holds, or ask about "the text". What of a draft can be checked without a person is checked here, before
// it is shown; whether the question is a good one is for the person who accepts it.

/** Why a draft was dropped, as a person reads it behind a number. */
export const DROPPED = {
  incomplete: 'without a question, an answer or a quoted passage',
  names_source: 'ask about the document itself',
  not_in_document: 'quote a passage that no document holds',
  one_passage: 'rest on fewer passages than their class needs',
  answered: 'are answered by their passage, where unanswerable ones were asked for',
  duplicate: 'ask what is asked already',
  near_duplicate: 'ask in other words what is asked already',
  unreadable: 'replies that were not the JSON that was asked for',
} as const
export type DropReason = keyof typeof DROPPED

/** A draft whose passages are in their documents. */
export interface VerifiedDraft {
  query: string
  ground_truth: string
  gold: (GoldEvidence & { fact: string })[]
  /** A quoted passage was not in its document and was replaced by the nearest one. */
  repaired: boolean
}

type DraftOutcome = { ok: true; draft: VerifiedDraft } | { ok: false; reason: DropReason }

/** A question that means nothing to a reader without that document. */
const NAMES_SOURCE =
  /\b(?:the|this|that|these|those|given|above|provided|following)\s+(?:\p{L}+\s+)?(?:documents?|passages?|texts?|excerpts?|articles?|sections?|paragraphs?|snippets?)\b|\baccording to (?:the|this)\b/iu

/** Share of the words of two questions that both have, from which they ask the same. */
const NEARLY_SAME = 0.8

/** True where a question that exists has nearly the same words. */
function isNear(key: string, asked: ReadonlySet<string>): boolean {
  const words = new Set(key.split(' '))
  return [...asked].some((each) => {
    const other = new Set(each.split(' '))
    return words.intersection(other).size >= NEARLY_SAME * words.union(other).size
  })
}

/** Share of a quote's words that the nearest passage must have to be what the model meant. */
const NEAREST_SHARE = 0.6

/** A question in the form in which two are compared. */
export const questionKey = (query: string): string => evidenceWords(query).join(' ')

const namesSource = (query: string, documents: Iterable<string>): boolean =>
  NAMES_SOURCE.test(query) ||
  [...documents].some((path) => query.toLowerCase().includes(path.split('/').at(-1)!.toLowerCase()))

/** The passage as its document has it; null where none is near enough. */
function passageIn(text: string, quote: string): { fact: string; repaired: boolean } | null {
  const [span] = createLocator(text)(quote)
  if (span !== undefined) return { fact: sentenceEnd(text, span), repaired: false }
  const words = evidenceWords(quote)
  const nearest = nearestPassage(text, words)
  if (nearest === null) return null
  const shared = new Set(words).intersection(new Set(evidenceWords(nearest))).size
  return shared >= NEAREST_SHARE * new Set(words).size ? { fact: nearest, repaired: true } : null
}

/** The words of a span with the mark that ends their sentence. */
const sentenceEnd = (text: string, { start, end }: { start: number; end: number }): string =>
  text.slice(start, /[.!?]/.test(text[end] ?? '') ? end + 1 : end)

/**
 * Checks one draft against the texts that the model was shown, by their documents' paths: passages of as many documents as its class needs. `asked` are the
 * keys of all questions that exist.
 */
export function verifyDraft(
  { question, answer, quotes }: RawDraft,
  texts: ReadonlyMap<string, string>,
  asked: ReadonlySet<string>,
  kind: QuestionClass = classOfHops(texts.size),
): DraftOutcome {
  const dropped = (reason: DropReason): DraftOutcome => ({ ok: false, reason })
  const quoted = quotes.filter(({ text }) => evidenceWords(text).length > 0)
  const { least } = questionClass(kind)
  const isComplete = evidenceWords(question).length > 1 && answer.trim() !== '' && (quoted.length > 0 || least === 0)
  if (!isComplete) return dropped('incomplete')
  if (namesSource(question, texts.keys())) return dropped('names_source')
  if (asked.has(questionKey(question))) return dropped('duplicate')
  if (isNear(questionKey(question), asked)) return dropped('near_duplicate')
  if (least === 0 && quoted.length > 0) return dropped('answered')
  const gold: VerifiedDraft['gold'] = []
  let isRepaired = false
  for (const { document, text: quote } of quoted) {
    // A model mistakes a path more easily than a passage.
    const named = [...texts].sort(([one], [other]) => Number(other === document) - Number(one === document))
    const found = named.map(([path, text]) => ({ document: path, passage: passageIn(text, quote) }))
    const best =
      found.find(({ passage }) => passage?.repaired === false) ?? found.find(({ passage }) => passage !== null)
    if (best?.passage === undefined || best.passage === null) return dropped('not_in_document')
    const { fact, repaired } = best.passage
    isRepaired ||= repaired
    if (!gold.some((each) => each.document === best.document && each.fact === fact))
      gold.push({ document: best.document, fact })
  }
  if (new Set(gold.map(({ document }) => document)).size < Math.min(least, texts.size)) return dropped('one_passage')
  return { ok: true, draft: { query: question.trim(), ground_truth: answer.trim(), gold, repaired: isRepaired } }
}
