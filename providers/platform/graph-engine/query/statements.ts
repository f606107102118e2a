import { coverage, indexOf } from '../../models/builtin/matching/terms.ts'
import type { GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { normalName } from '../resolution/normal-name.ts'
import type { QuestionView } from './question-view.ts'

const PER_RELATION = 2
const PER_ENTITY = 2

/** What the texts say of a relation, one statement a line, the ones that tell most of the question; names are added where they are missing. */
export function relationStatements(graph: KnowledgeGraph, question: QuestionView, relation: GraphRelation): string[] {
  const source = graph.entities[relation.sourceIndex]!
  const target = graph.entities[relation.targetIndex]!
  const link = `${source.name} – ${relation.keywords.slice(0, 3).join(', ') || 'related to'} – ${target.name}`
  const texts = best(
    question,
    relation.statements.map(({ text }) => text),
    PER_RELATION,
  )
  if (texts.length === 0) return [`${link}.`]
  return texts.map((text) => (mentions(text, source) && mentions(text, target) ? text : `${link}: ${text}`))
}

/** What the texts say of an entity, the name added where it is missing. */
export function entityStatements(question: QuestionView, entity: GraphEntity): string[] {
  const texts = best(
    question,
    entity.statements.map(({ text }) => text),
    PER_ENTITY,
  )
  if (texts.length === 0) return [`${entity.name} (${entity.type}).`]
  return texts.map((text) => (mentions(text, entity) ? text : `${entity.name}: ${text}`))
}

function best(question: QuestionView, texts: readonly string[], count: number): string[] {
  const worth = new Map(texts.map((text) => [text, coverage(question.terms, indexOf(text))]))
  const chosen = new Set([...texts].sort((a, b) => worth.get(b)! - worth.get(a)!).slice(0, count))
  return texts.filter((text) => chosen.has(text))
}

function mentions(text: string, entity: GraphEntity): boolean {
  const words = ` ${normalName(text)} `
  return [entity.id, ...entity.aliases.map(normalName)].some((name) => name !== '' && words.includes(` ${name} `))
}
