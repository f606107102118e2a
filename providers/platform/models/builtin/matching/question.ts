import { namesOf } from '../language/names.ts'
import { bounded } from '../language/memo.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import { termsOf } from './terms.ts'
import type { Term } from './terms.ts'

/** The kind of thing that a question asks for. `thing` is anything with a name or description. */
export type AnswerKind = 'person' | 'place' | 'date' | 'number' | 'money' | 'reason' | 'manner' | 'thing'

/** A question as the matchers see it. */
export type Question = {
  text: string
  terms: readonly Term[]
  /** Roots of the names and codes that it mentions, one list per mention. */
  names: readonly (readonly string[])[]
  /** Kinds of answer it asks for; one for each question word. Empty when unknown. */
  expects: readonly AnswerKind[]
  /** Roots of the noun that a "which …" or "what …" asks for, such as `bird` in "which bird". */
  focus: ReadonlySet<string>
}

const KINDS: readonly (readonly [RegExp, AnswerKind])[] = [
  [
    /\b(?:what|how much)\b[^?]*\b(?:costs?|prices?|pa(?:id|y)|money|fees?|worth|earn(?:ed)?|sell|sold|owed?|budget|salary|wages?)\b|\bhow (?:large|big|high|much)\b[^?]*\b(?:ransom|fine|loan|fee|debt|budget|prize|reward|grant|salary)\b/i,
    'money',
  ],
  [
    /\bwho(?:m|se)?\b|\b(?:which|what) (?:\w+ )?(?:person|man|woman|people|author|inventor|engineer|scientist|official|officer|surname)\b/i,
    'person',
  ],
  [
    /\bwhen\b|\b(?:which|what|the) (?:exact )?(?:year|date|day|month|century|decade)\b(?! of)|\bhow long ago\b/i,
    'date',
  ],
  [
    /\bhow (?:many|much|long|far|high|tall|deep|wide|heavy|fast|often|old|large|big|hot|cold)\b|\b(?:what|which) (?:\w+ )?(?:number|percentage|share|proportion|speed|temperature|length|height|depth|width|weight|price|size|value|setting|figure|fraction|amount|distance|age|torque|voltage|pressure|frequency|interval)\b/i,
    'number',
  ],
  [
    /\bwhere\b|\b(?:which|what) (?:\w+ )?(?:town|city|country|place|village|island|harbour|harbor|port|region|state|sea|ocean|river|street|county)\b/i,
    'place',
  ],
  [/\bwhy\b|\bfor what reason\b|\bwhat (?:caused|made|reason|explains)\b/i, 'reason'],
  [/\bhow (?:do|does|did|is|are|was|were|can|could|should|would|has|have|had)\b|\bby what means\b/i, 'manner'],
  [/\b(?:what|which)\b/i, 'thing'],
]

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

/** What a question is about and what it asks for. */
export const analyseQuestion: (text: string) => Question = bounded(256, (text) => {
  const kinds = KINDS.filter(([pattern]) => pattern.test(text)).map(([, kind]) => kind)
  const specific = kinds.filter((kind) => kind !== 'thing')
  return {
    text,
    terms: termsOf(text),
    names: namesOf(text).map((name) => tokensOf(name.text).map(rootOf)),
    expects: specific.length > 0 ? specific : kinds,
    focus: focusOf(text),
  }
})
