import type { Mention } from './mentions.ts'
import { isVerb } from './clauses.ts'
import type { Clause } from './clauses.ts'

/** Two names that a clause relates. `how` is what joins them: the closer the joint, the surer the relation. */
export type NamePair = { source: string; target: string; how: 'verb' | 'attached' | 'shared' | 'implied' }

/** "'s", " who", " of the", ", a college in": what follows belongs to the name before it. */
const ATTACHED =
  /^(?:['’]s?\s|,?\s+(?:who|whom|whose|which|that|where)\b|\s+(?:of|in|at|on|near|off|under|from)\s+(?:the\s+|an?\s+)?$|,\s+(?:an?|the|its|his|her|then|now|once|formerly|later|in|at|on|near|of)\b[^,;]*$)/i
const COORDINATED = /^\s*(?:,?\s*(?:and|or|nor|&|as well as|together with)\s+(?:the\s+|an?\s+)?|,\s*)$/i
const PREPOSITION_BEFORE =
  /\b(?:in|at|on|of|for|from|to|with|under|near|off|by|during|after|before|since|until|through|against|into)\s+(?:the\s+|an?\s+)?$/i
/** "built by the ": the name after it is the one that acts. */
const AGENT_BEFORE = /\bby\s+(?:the\s+|an?\s+)?$/i

/**
 * The pairs of names that a clause relates: its subjects with what its verb governs, and names with what is attached to them by apposition,
 * relative clause, possessive or preposition. Members of a list relate to what the list relates to and not to each other. `implied` is the
 * subject that a pronoun stands for.
 */
export function relationsInClause(
  sentence: string,
  clause: Clause,
  mentions: readonly Mention[],
  implied: string | null,
): NamePair[] {
  const inside = mentions.filter((mention) => mention.start >= clause.start && mention.end <= clause.end)
  const verb = clause.tokens.find(
    (token) => isVerb(token) && !inside.some(({ start, end }) => token.start < end && token.end > start),
  )
  const between = (at: number): string =>
    sentence.slice(at === 0 ? clause.start : inside[at - 1]!.end, inside[at]!.start)
  const isCoordinated = (at: number): boolean => at > 0 && COORDINATED.test(between(at))
  const subjects: Mention[] = []
  const pairs: NamePair[] = []
  /** For each name, what it was related to, which the next member of its list is too. */
  const heads: Omit<NamePair, 'target'>[][] = []
  inside.forEach((mention, at) => {
    const lead = between(at)
    const previous = inside[at - 1]
    const headsOf = (): Omit<NamePair, 'target'>[] => {
      if (isCoordinated(at) && heads[at - 1]!.length > 0) return heads[at - 1]!
      if (previous !== undefined && ATTACHED.test(lead)) return [{ source: previous.name, how: 'attached' }]
      const isSubject = verb === undefined ? at === 0 : mention.end <= verb.start && !PREPOSITION_BEFORE.test(lead)
      if (isSubject && (subjects.length === 0 || isCoordinated(at))) {
        subjects.push(mention)
        return []
      }
      if (subjects.length > 0)
        return subjects.map(({ name }) => ({ source: name, how: verb === undefined ? 'shared' : 'verb' }))
      if (implied !== null) return [{ source: implied, how: 'implied' }]
      return previous === undefined ? [] : [{ source: previous.name, how: 'shared' }]
    }
    heads.push(headsOf().filter(({ source }) => source !== mention.name))
    const isAgent = AGENT_BEFORE.test(lead)
    for (const { source, how } of heads[at]!)
      pairs.push(isAgent ? { source: mention.name, target: source, how } : { source, target: mention.name, how })
  })
  return pairs
}
