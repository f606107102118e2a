import { indexOf } from '../../models/builtin/matching/terms.ts'
import type { TermIndex } from '../../models/builtin/matching/terms.ts'
import { entityText } from './knowledge-graph.ts'
import type { GraphEntity, GraphRelation } from './knowledge-graph.ts'

// Parts of a graph never change, and live as long as it does: what was read once is kept with them.
const indexes = new WeakMap<GraphEntity | GraphRelation, TermIndex>()

/** The words of what is said of a relation, its keywords among them. */
export function relationTerms(relation: GraphRelation): TermIndex {
  return kept(relation, () => [relation.keywords.join(' '), ...relation.statements.map(({ text }) => text)].join('\n'))
}

/** The words of an entity's type, name and descriptions. */
export function entityTerms(entity: GraphEntity): TermIndex {
  return kept(entity, () => `${entity.type}\n${entityText(entity)}`)
}

function kept(part: GraphEntity | GraphRelation, textOf: () => string): TermIndex {
  const known = indexes.get(part) ?? indexOf(textOf())
  indexes.set(part, known)
  return known
}
