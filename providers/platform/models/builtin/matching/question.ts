import { memoized } from '../language/memo.ts'
import { termsOf } from './terms.ts'
import type { Term } from './terms.ts'

/** The kind of thing that a question asks for. */
export type AnswerKind = 'person' | 'place'

/** A question as the matchers see it. */
export type Question = {
  terms: readonly Term[]
  /** Kinds of answer it asks for; empty when unknown. */
  expects: readonly AnswerKind[]
  /** Roots of the noun that a "which …" or "what …" asks for, such as `bird` in "which bird". */
  focus: ReadonlySet<string>
}

const FOCUS =
  /\b(?:which|what)\s+((?:[\p{L}\p{N}'’-]+\s+){0,2}?[\p{L}\p{N}'’-]+)(?=\s+(?:is|are|was|were|did|do|does|has|have|had|can|could|should|would|will|that|of|for|in|on|from|to)\b|[\s,]*\?)/giu

function focusOf(text: string): Set<string> {
  const roots = [...text.matchAll(FOCUS)].flatMap((match) =>
    termsOf(match[1]!)
      .slice(-1)
      .map((term) => term.root),
  )
  return new Set(roots)
}

const KINDS: readonly (readonly [AnswerKind, RegExp])[] = [
  ['person', /\bwho(?:m|se)?\b|\b(?:which|what) (?:\w+ )?(?:person|man|woman|people|author)\b/i],
  [
    'place',
    /\bwhere\b|\b(?:which|what) (?:\w+ )?(?:town|city|country|place|village|island|port|region|state|river|street)\b/i,
  ],
]

/** Returns what a question is about and what it asks for. */
export const analyseQuestion: (text: string) => Question = memoized(256, (text) => ({
  terms: termsOf(text),
  expects: KINDS.flatMap(([kind, pattern]) => (pattern.test(text) ? [kind] : [])),
  focus: focusOf(text),
}))
