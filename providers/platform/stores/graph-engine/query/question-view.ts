import type { GraphQueryRequest } from '../../../../../contract/http/graph-engine.ts'
import { conceptsOf } from '../../../models/builtin/language/concepts.ts'
import { analyseQuestion } from '../../../models/builtin/matching/question.ts'
import type { AnswerKind, Question } from '../../../models/builtin/matching/question.ts'
import { termsOf } from '../../../models/builtin/matching/terms.ts'
import type { Term } from '../../../models/builtin/matching/terms.ts'
import type { ModelHost } from '../../../models/model-host.ts'
import { askForJson } from '../../../models/ask-for-json.ts'
import { KEYWORDS_REPLY_SCHEMA, parseKeywordsReply, renderKeywordsTask } from '../../../models/prompts/keywords-task.ts'
import { GraphEngineError } from '../errors.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { findNames } from './find-names.ts'
import type { NamePlace, QuestionNames } from './find-names.ts'
import { memoized, partStrengths, rootsInRings } from './part-strengths.ts'

/** A question prepared for the search: its names, its other words, and how near each part of the graph is to it. */
export interface QuestionView {
  text: string
  names: QuestionNames
  /** Holds what the question asks about its names; all its words when there is nothing else. */
  terms: readonly Term[]
  /** Nearness in meaning, computed on demand. */
  near: {
    /** Of the low keywords with each entity. */
    entities(): Float32Array
    /** Of the high keywords with each relation. */
    themes(): Float32Array
    /** Of the question with each chunk. */
    chunks(): Float32Array
    /** Of what the question asks about its names with each relation: of crowded entities thousands are compared. */
    relations(): Float32Array
  }
  /** Returns how well the words of the relation at this position match each term, 0 to 1. */
  relationStrengths(relation: number): ArrayLike<number>
  entityStrengths(entity: number): ArrayLike<number>
  /** True for an entity of the kind that the question wants to know. */
  asksFor(entity: number): boolean
  /** Positions of the terms by their distance from a name, nearest first; in the question's order without one. */
  termsFrom(place: NamePlace | null): readonly number[]
}

/** Embeds the question and its parts in one call and compares them with the graph. Throws `ModelCallError`, `GraphEngineError`. */
export async function viewQuestion(
  text: string,
  keywords: QueryKeywords,
  graph: KnowledgeGraph,
  models: ModelHost,
  signal?: AbortSignal,
): Promise<QuestionView> {
  const names = findNames(graph, text, keywords.low)
  const restText = names.rest.map(({ word }) => word).join(' ')
  const ownTerms = termsOf(restText)
  const hasRest = ownTerms.length > 0
  const terms = hasRest ? ownTerms : termsOf(text)
  const parts = [text, keywords.low.join(', ') || text, keywords.high.join(', ') || text, hasRest ? restText : text]
  const [whole, low, high, rest] = await queryVectors(parts, graph, models, signal)
  const strengths = partStrengths(graph, terms)
  return {
    text,
    names,
    terms,
    near: {
      entities: once(() => graph.vectors.entities.similarities(low!)),
      themes: once(() => graph.vectors.relations.similarities(high!)),
      chunks: once(() => graph.vectors.chunks.similarities(whole!)),
      relations: once(() => graph.vectors.relations.similarities(rest!)),
    },
    relationStrengths: (relation) => strengths.ofRelation(relation),
    entityStrengths: (entity) => strengths.ofEntity(entity),
    asksFor: memoized(askedEntities(analyseQuestion(text), graph)),
    termsFrom: (place) => (place === null ? [...terms.keys()] : byDistance(terms, names, place)),
  }
}

/** Entity types that answer "who" and "where". */
const TYPES_OF_KIND: Partial<Record<AnswerKind, readonly string[]>> = {
  person: ['person'],
  place: ['place', 'facility', 'location'],
}

/** Entities of an expected type, or with a word in type or name that the question asks for or that means the same. */
function askedEntities(question: Question, { texts, labels, words }: KnowledgeGraph): (entity: number) => boolean {
  const asked = [...question.focus]
  const roots = new Set(asked.map((root) => words.find(root)))
  const synonyms = rootsInRings(words.rings, asked.flatMap(conceptsOf))
  const isAsked = memoized((text: number) =>
    words
      .ofText(text)
      .some(
        (word) =>
          words.informative[word] === 1 && (roots.has(words.roots[word]) || synonyms.has(words.synonymous[word]!)),
      ),
  )
  const isExpected = memoized((type: number) => {
    const name = texts.text(type)
    return question.expects.some((kind) => TYPES_OF_KIND[kind]?.includes(name) === true)
  })
  return (entity) => {
    const type = labels.types[entity]!
    return isExpected(type) || isAsked(type) || isAsked(labels.names[entity]!)
  }
}

function byDistance(terms: readonly Term[], names: QuestionNames, { from, to }: NamePlace): number[] {
  const distances = terms.map(({ root }) => {
    const places = names.rest
      .filter(({ word }) => termsOf(word).some((term) => term.root === root))
      .map(({ place }) => place)
    return Math.min(...places.map((place) => (place < from ? from - place : place - to)))
  })
  return [...terms.keys()].sort((a, b) => distances[a]! - distances[b]! || a - b)
}

async function queryVectors(
  texts: readonly string[],
  graph: KnowledgeGraph,
  models: ModelHost,
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const vectors = await models.embed('embed', texts, 'query', signal)
  const { dimensions, count } = graph.vectors.chunks
  const fits = vectors.length === texts.length && (count === 0 || vectors.every(({ length }) => length === dimensions))
  if (!fits)
    throw new GraphEngineError('embedding_invalid', 'the embedding model did not return one fitting vector per text')
  return vectors
}

function once<Value>(compute: () => Value): () => Value {
  let known: { value: Value } | undefined
  return () => (known ??= { value: compute() }).value
}

/** A question's keywords: themes and kinds of relation, and names and concrete things. */
export interface QueryKeywords {
  high: string[]
  low: string[]
  /** request: the caller gave them. model: the model did. question: its lists were empty, so the whole question is the one keyword. */
  from: 'request' | 'model' | 'question'
}

/** Splits the question by the model of role `graph_keyword`, unless the caller gave keywords. Throws `ModelCallError`. */
export async function splitKeywords(
  request: Pick<GraphQueryRequest, 'query' | 'hl_keywords' | 'll_keywords'>,
  models: ModelHost,
  signal?: AbortSignal,
): Promise<QueryKeywords> {
  if (request.hl_keywords.length + request.ll_keywords.length > 0) {
    return { high: request.hl_keywords, low: request.ll_keywords, from: 'request' }
  }
  const messages = renderKeywordsTask({ question: request.query })
  const asked = { messages, temperature: 0, reply_schema: KEYWORDS_REPLY_SCHEMA }
  const reply = await askForJson(models, 'graph_keyword', asked, parseKeywordsReply, signal)
  if (!reply.ok)
    throw new GraphEngineError('model_answer_invalid', `the keyword model's reply cannot be used: ${reply.message}`)
  if (reply.value.high_level.length + reply.value.low_level.length === 0) {
    return { high: [], low: [request.query], from: 'question' }
  }
  return { high: reply.value.high_level, low: reply.value.low_level, from: 'model' }
}
