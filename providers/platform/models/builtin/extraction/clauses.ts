import type { PartOfSpeech } from 'wink-nlp'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'

/** A main clause: offsets in the sentence's text, and its tokens. */
export type Clause = { start: number; end: number; tokens: readonly TaggedToken[] }

export const isVerb = (token: TaggedToken): boolean => token.pos === 'VERB' || token.pos === 'AUX'

const OPENS_SUBJECT: ReadonlySet<PartOfSpeech> = new Set(['DET', 'PRON', 'PROPN', 'NOUN', 'ADJ', 'NUM'])
const CONJUNCTION = /^(?:and|but|while|whereas|yet|so|though|although|when|until|because|after|before)$/i

/** True when a clause with a subject of its own starts at a token: a noun or pronoun comes, and a verb soon after. */
function clauseStartsAt(tokens: readonly TaggedToken[], from: number): boolean {
  if (tokens[from] === undefined || !OPENS_SUBJECT.has(tokens[from].pos)) return false
  for (let at = from; at < Math.min(tokens.length, from + 12); at += 1) {
    const token = tokens[at]!
    if (isVerb(token)) return at > from
    if (token.pos === 'PUNCT' && token.text !== '-' && token.text !== "'") return false
    if (token.pos === 'CCONJ' && at === from) return false
  }
  return false
}

/** Cuts a sentence into main clauses: at semicolons, and at conjunctions that bring a new subject. */
export function clausesOf(sentence: string): Clause[] {
  const tokens = taggedTokens(sentence)
  const clauses: Clause[] = []
  let from = 0
  const cut = (to: number): void => {
    const part = tokens.slice(from, to)
    if (part.length > 0) clauses.push({ start: part[0]!.start, end: part.at(-1)!.end, tokens: part })
    from = to
  }
  tokens.forEach((token, at) => {
    if (at <= from) return
    const hasVerb = tokens.slice(from, at).some(isVerb)
    const separates = token.text === ';' || token.text === '–' || token.text === '—' || (token.text === ':' && hasVerb)
    if (separates) cut(at)
    else if (hasVerb && CONJUNCTION.test(token.text) && clauseStartsAt(tokens, at + 1)) cut(at)
  })
  cut(tokens.length)
  return clauses
}
