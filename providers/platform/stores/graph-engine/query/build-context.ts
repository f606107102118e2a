import { packed, tokensOfTexts } from '../../../../../contract/evidence/context-budget.ts'
import { messageText } from '../../../../../contract/http/chat.ts'
import type { ChatMessage } from '../../../../../contract/http/chat.ts'
import type { GraphQueryRequest } from '../../../../../contract/http/graph-engine.ts'
import { countTokens } from '../../../../../contract/evidence/count-tokens.ts'
import { coverage, indexOf } from '../../../models/builtin/matching/terms.ts'
import { renderAnswerTask } from '../../../models/prompts/answer-task.ts'
import type { Passage } from '../../../models/prompts/answer-task.ts'
import type { GraphChunk, GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { normalName } from '../resolution/names.ts'
import type { QuestionView } from './question-view.ts'
import type { GraphFindings, Ranked } from './search-graph.ts'

export type ContextRequest = Pick<
  GraphQueryRequest,
  | 'query'
  | 'max_entity_tokens'
  | 'max_relation_tokens'
  | 'max_total_tokens'
  | 'context_budget'
  | 'conversation_history'
  | 'user_prompt'
  | 'answer_prompt'
  | 'response_type'
>

/** Describes what the prompt contains, and the prompt. */
export interface GraphContext {
  entities: GraphEntity[]
  relations: GraphRelation[]
  chunks: Ranked<GraphChunk>[]
  passages: Passage[]
  /** Of the passages, the texts of relations and entities. */
  statements: string[]
  messages: ChatMessage[]
  /** Estimated tokens of all messages; never more than the request's total when anything was put in. */
  tokens: number
}

/** Share of the room for context that statements of the graph may take, so that chunk texts always fit too. */
const STATEMENT_SHARE = 0.4
const PATHS_SHOWN = 4

/**
 * Fills the prompt in order: relations, chunks, entities. Entities and relations keep
 * to their own budgets, everything together to the total; what does not fit is left out, never cut.
 */
export function buildContext(
  request: ContextRequest,
  graph: KnowledgeGraph,
  question: QuestionView,
  findings: GraphFindings,
  chunks: readonly Ranked<GraphChunk>[],
): GraphContext {
  const budget = request.context_budget
  const room = budget ?? request.max_total_tokens - promptTokens(promptMessages(request, []))
  const cost: Cost = budget === null ? passageCost(request) : ({ text }) => countTokens(text)
  const statements = Math.floor(room * STATEMENT_SHARE)
  const relations = relationPassage(graph, question, findings, Math.min(request.max_relation_tokens, statements), cost)
  const entities = fillPassage(
    'Entities',
    findings.entities.map(({ item }) => item),
    (entity) => entityStatements(question, entity),
    Math.min(request.max_entity_tokens, statements - relations.tokens),
    cost,
  )
  const left = room - relations.tokens - entities.tokens
  const texts = budget === null ? chunkPassages(chunks, left, cost) : packedChunks(chunks, left)
  const passages = [...relations.passages, ...texts.passages, ...entities.passages]
  const messages = promptMessages(request, passages)
  return {
    entities: entities.items,
    relations: relations.items,
    chunks: texts.items,
    passages,
    statements: [...relations.passages, ...entities.passages].map(({ text }) => text),
    messages,
    tokens: promptTokens(messages),
  }
}

/** The answer task with the caller's instructions and earlier turns. */
function promptMessages(request: ContextRequest, passages: readonly Passage[]): ChatMessage[] {
  const changes = { prompt: request.answer_prompt ?? undefined }
  const [system, user] = renderAnswerTask({ question: request.query, passages: [...passages] }, changes)
  const instructions = [
    ...(request.response_type === null ? [] : [`Form of the answer: ${request.response_type}`]),
    ...(request.user_prompt === null ? [] : [`Additional instructions: ${request.user_prompt}`]),
  ]
  return [
    { ...system, content: [messageText(system), ...instructions].join('\n') },
    ...request.conversation_history,
    user,
  ]
}

const promptTokens = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + countTokens(messageText(message)), 0)

/** Tokens that one more passage adds to the prompt. Estimated tokens never span a line end, so the costs of passages add up. */
function passageCost(request: ContextRequest): (passage: Passage) => number {
  const task = (passages: Passage[]) => promptTokens(renderAnswerTask({ question: request.query, passages }))
  const empty = task([])
  return (passage) => task([passage]) - empty
}

type Cost = (passage: Passage) => number

interface Filled<Item> {
  items: Item[]
  passages: Passage[]
  tokens: number
}

/**
 * One passage for all relations, so that each statement is read next to the others: first along the best paths, in their order, then
 * by rank.
 */
function relationPassage(
  graph: KnowledgeGraph,
  question: QuestionView,
  findings: GraphFindings,
  budget: number,
  cost: Cost,
): Filled<GraphRelation> {
  const found = new Set(findings.relations.map(({ item }) => item))
  const along = findings.paths
    .slice(0, PATHS_SHOWN)
    .flatMap(({ relations }) => relations.map((index) => graph.relations.at(index)))
  const inOrder = new Set([...along.filter((relation) => found.has(relation)), ...found])
  return fillPassage(
    'Relations',
    [...inOrder],
    (relation) => relationStatements(graph, question, relation),
    budget,
    cost,
  )
}

/** A passage of the items' statements, a line each and no line twice; items whose statements do not fit are left out. */
function fillPassage<Item>(
  title: string,
  candidates: readonly Item[],
  linesOf: (item: Item) => string[],
  budget: number,
  cost: Cost,
): Filled<Item> {
  const items: Item[] = []
  let text: string[] = []
  let tokens = 0
  for (const item of candidates) {
    const longer = [...new Set([...text, ...linesOf(item)])]
    const next = cost({ title, text: longer.join('\n') })
    if (next > budget) continue
    text = longer
    items.push(item)
    tokens = next
  }
  return { items, passages: text.length === 0 ? [] : [{ title, text: text.join('\n') }], tokens }
}

function chunkPassages(chunks: readonly Ranked<GraphChunk>[], budget: number, cost: Cost): Filled<Ranked<GraphChunk>> {
  const filled: Filled<Ranked<GraphChunk>> = { items: [], passages: [], tokens: 0 }
  for (const chunk of chunks) {
    const passage = { title: chunk.item.title, text: chunk.item.content }
    const tokens = cost(passage)
    if (filled.tokens + tokens > budget) continue
    filled.items.push(chunk)
    filled.passages.push(passage)
    filled.tokens += tokens
  }
  return filled
}

/** The best chunks, the last one cut where the budget ends. */
function packedChunks(chunks: readonly Ranked<GraphChunk>[], budget: number): Filled<Ranked<GraphChunk>> {
  const items = packed(
    chunks,
    budget,
    ({ item }) => item.content,
    ({ item, score }, content) => ({ item: { ...item, content }, score }),
  )
  const passages = items.map(({ item: { title, content } }) => ({ title, text: content }))
  return { items, passages, tokens: tokensOfTexts(items.map(({ item }) => item.content)) }
}

const PER_RELATION = 2
const PER_ENTITY = 2

/** A relation in the words of the texts, one statement a line: those with most of the question’s terms; names are added where missing. */
function relationStatements(graph: KnowledgeGraph, question: QuestionView, relation: GraphRelation): string[] {
  const source = graph.entities.at(relation.sourceIndex)
  const target = graph.entities.at(relation.targetIndex)
  const link = `${source.name} – ${relation.keywords.slice(0, 3).join(', ') || 'related to'} – ${target.name}`
  const texts = best(
    question,
    relation.statements.map(({ text }) => text),
    PER_RELATION,
  )
  if (texts.length === 0) return [`${link}.`]
  return texts.map((text) => (mentions(text, source) && mentions(text, target) ? text : `${link}: ${text}`))
}

/** An entity in the words of the texts, the name added where it is missing. */
function entityStatements(question: QuestionView, entity: GraphEntity): string[] {
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
