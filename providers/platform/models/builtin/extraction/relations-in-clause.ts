import type { Mention } from './mentions.ts'
import { isVerb } from './clauses.ts'
import type { Clause } from './clauses.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'

/** Two names that a clause relates. `how` is what joins them: the closer the joint, the surer the relation. */
export type NamePair = { source: string; target: string; how: 'verb' | 'attached' | 'shared' | 'implied' }

/** ", a college in", ", who led", " of the": what follows belongs to the name before it. */
const APPOSITION =
  /^,\s+(?:(?:an?|the|its|his|her|their|then|now|once|formerly|later|in|at|on|near|of)\b)?(?!\s*(?:and|or)\b)[^,;]*$/i
const RELATIVE = /^,?\s+(?:who|whom|whose|which|that|where)\b/i
const POSSESSIVE = /^['’]s?\s/
const OF_OR_IN = /^\s+(?:of|in|at|on|near|off|under|from)\s+(?:the\s+|an?\s+)?$/i
const COORDINATION = /(?:^|\s|,)(?:and|or|nor|&|as well as|along with|together with)(?:\s|$)|^\s*,\s*$/i
const RECIPROCAL =
  /^(?:marry|wed|meet|merge|agree|negotiate|sign|collide|border|join|ally|cooperate|compete|clash|divorce|partner)$/

const PREPOSITION_BEFORE =
  /\b(?:in|at|on|of|for|from|to|with|under|near|off|by|during|after|before|since|until|aboard|through|against|into)\s+(?:the\s+|an?\s+)?$/i

/** "built by the ": the name after it is the one that acts. */
const AGENT_BEFORE = /\bby\s+(?:the\s+|an?\s+)?$/i

/** How a name hangs on the one before it. */
type Joint = 'attached' | 'coordinated' | 'same_phrase' | 'new_phrase'

function jointOf(between: string, verbs: boolean): Joint {
  if (POSSESSIVE.test(between) || RELATIVE.test(between) || OF_OR_IN.test(between)) return 'attached'
  if (verbs) return /,|\band\b|\bbut\b|\bor\b/i.test(between) ? 'new_phrase' : 'same_phrase'
  if (COORDINATION.test(between)) return 'coordinated'
  return APPOSITION.test(between) ? 'attached' : 'same_phrase'
}

/**
 * The pairs of names that a clause relates: its subjects with what its verbs govern, names with what is attached to them
 * by apposition, relative clause, possessive or preposition, and names that share a verb. Members of a list relate to what
 * the list relates to and not to each other, unless the verb is mutual. `implied` is the subject that a pronoun stands for.
 */
export function relationsInClause(
  sentence: string,
  clause: Clause,
  mentions: readonly Mention[],
  implied: string | null,
): NamePair[] {
  const inside = mentions.filter((mention) => mention.start >= clause.start && mention.end <= clause.end)
  if (inside.length === 0) return []
  const verbsBetween = (from: number, to: number): TaggedToken[] =>
    clause.tokens.filter(
      (token) => isVerb(token) && token.start >= from && token.end <= to && !insideName(token, inside),
    )
  const firstVerb = clause.tokens.find((token) => isVerb(token) && !insideName(token, inside))
  const subjects = subjectsOf(sentence, clause, inside, firstVerb ?? null)
  const roots = subjects.length > 0 ? subjects.map((mention) => mention.name) : implied === null ? [] : [implied]

  const byVerb = subjects.length > 0 ? 'verb' : 'implied'
  const pairs: NamePair[] = []
  const heads: string[][] = []
  /** For each mention, those before it in its list. */
  const lists: Mention[][] = []
  inside.forEach((mention, at) => {
    const previous = inside[at - 1]
    if (previous === undefined) {
      heads.push([])
      lists.push([])
      if (!subjects.includes(mention))
        for (const root of roots) pairs.push({ source: root, target: mention.name, how: byVerb })
      return
    }
    const between = sentence.slice(previous.end, mention.start)
    const verbs = verbsBetween(previous.end, mention.start)
    const comma = subjects.includes(mention) && between.startsWith(',')
    const joint = comma ? 'new_phrase' : jointOf(between, verbs.length > 0)
    const own: NamePair[] = []
    const relate = (source: string, how: NamePair['how']): void => {
      if (source !== mention.name) own.push({ source, target: mention.name, how })
    }
    if (joint === 'attached') for (const member of [...lists[at - 1]!, previous]) relate(member.name, 'attached')
    else if (joint === 'coordinated' && at > 0 && heads[at - 1]!.length > 0)
      for (const head of heads[at - 1]!) relate(head, byVerb)
    else {
      if (!subjects.includes(mention)) for (const root of roots) relate(root, byVerb)
      if (joint === 'same_phrase' && !subjects.includes(previous))
        relate(previous.name, verbs.length > 0 ? 'verb' : 'shared')
      if (joint === 'same_phrase' && roots.length === 0) relate(previous.name, 'shared')
      if (subjects.includes(mention) && !subjects.includes(previous)) relate(previous.name, 'shared')
    }
    lists.push(joint === 'coordinated' ? [...lists[at - 1]!, previous] : [])
    heads.push(own.map((pair) => pair.source))
    pairs.push(
      ...own.map((pair) => (AGENT_BEFORE.test(between) ? { ...pair, source: pair.target, target: pair.source } : pair)),
    )
  })
  if (subjects.length > 1 && clause.tokens.some((token) => isVerb(token) && RECIPROCAL.test(token.lemma))) {
    for (const [at, subject] of subjects.entries()) {
      for (const other of subjects.slice(at + 1)) pairs.push({ source: subject.name, target: other.name, how: 'verb' })
    }
  }
  return pairs
}

const insideName = (token: TaggedToken, mentions: readonly Mention[]): boolean =>
  mentions.some((mention) => token.start < mention.end && token.end > mention.start)

/** The names that the clause's first verb has as its subjects; after a preposition a name is no subject. */
function subjectsOf(
  sentence: string,
  clause: Clause,
  mentions: readonly Mention[],
  firstVerb: TaggedToken | null,
): Mention[] {
  const before = mentions.filter((mention) => firstVerb === null || mention.end <= firstVerb.start)
  const free = before.filter((mention, at) => {
    const lead = sentence.slice(at === 0 ? clause.start : before[at - 1]!.end, mention.start)
    return !PREPOSITION_BEFORE.test(lead) && !(at > 0 && /^,\s+(?:an?|the)\s/.test(lead)) && !RELATIVE.test(lead)
  })
  const first = free[0]
  if (first === undefined) return []
  // Further subjects only as members of one list with the first.
  const list = [first]
  for (const mention of free.slice(1)) {
    const between = sentence.slice(list.at(-1)!.end, mention.start)
    if (COORDINATION.test(between) && between.length < 12) list.push(mention)
  }
  return list
}
