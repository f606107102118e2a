import { z } from 'zod'
import type { ApproachParameters } from '../../../../contract/approaches.ts'
import type { ToolCall } from '../../../../contract/http/chat.ts'
import type { RoleChatRequest } from '../../models/model-host.ts'
import type { ApproachServices } from '../approach.ts'
import { hybridSearch } from '../steps/hybrid-search.ts'
import type { FoundPassage } from './notebook.ts'

/** Describes what a tool found; `entities` and `relations` are counts, `facts` one statement each. */
export interface ToolResult {
  passages: FoundPassage[]
  facts: string[]
  entities: number
  relations: number
}

export type AgentParameters = ApproachParameters['agentic-rag']

/** Equal weight for words and vectors: the next hop is often a search for a name. */
const ALPHA = 0.5
const MOST_RESULTS = 20
/** Sets what the reranker chooses the results from. */
const CANDIDATES = 20
/** The graph shows the agent less than it would show the model that writes an answer: there may be several queries. */
const GRAPH = { top_k: 10, max_total_tokens: 8000, enable_rerank: false } as const

const query = z.string().trim().min(3).max(2000)
/** A model that asks for more gets as many as there are: to refuse the search would cost it a step. */
const topK = z.coerce
  .number()
  .min(1)
  .transform((count) => Math.min(Math.floor(count), MOST_RESULTS))
const VectorArguments = z.object({ query, top_k: topK.nullish() })
const GraphArguments = z.object({ query })

/** The two tools as a chat request declares them. */
export function toolDefinitions(parameters: AgentParameters): NonNullable<RoleChatRequest['tools']> {
  const queryField = { type: 'string', description: 'What to look for, in few words; names spelled as they are known.' }
  return [
    definition('vector_search', 'Finds the text passages that are closest to a query in words and meaning.', {
      query: queryField,
      top_k: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_RESULTS,
        description: `Passages, ${parameters.vector_top_k} by default.`,
      },
    }),
    definition(
      'graph_query',
      'Finds entities and how they are related, with the passages that say so. Good for who, whose and what is connected to a name.',
      { query: queryField },
    ),
  ]
}

function definition(name: string, description: string, properties: object) {
  const parameters = { type: 'object', properties, required: ['query'], additionalProperties: false }
  return { type: 'function' as const, function: { name, description, parameters } }
}

/** A call that can be carried out, or what is wrong with it, for the agent to read. */
export type PreparedCall =
  | {
      ok: true
      tool: string
      arguments: Record<string, unknown>
      query: string
      run: (signal?: AbortSignal) => Promise<ToolResult>
    }
  | { ok: false; tool: string; arguments: unknown; problem: string }

/** Reads a model's tool call, whatever it wrote. */
export function prepareCall(
  { function: { name, arguments: text } }: ToolCall,
  parameters: AgentParameters,
  services: ApproachServices,
): PreparedCall {
  const given = parseJson(text)
  if (given === undefined)
    return { ok: false, tool: name, arguments: text.slice(0, 500), problem: 'The arguments are not valid JSON.' }
  switch (name) {
    case 'vector_search': {
      const read = VectorArguments.safeParse(given)
      if (!read.success) return refused(name, given, read.error)
      const known = { query: read.data.query, top_k: read.data.top_k ?? parameters.vector_top_k }
      return {
        ok: true,
        tool: name,
        arguments: known,
        query: known.query,
        run: (signal) => vectorSearch(known, services, signal),
      }
    }
    case 'graph_query': {
      const read = GraphArguments.safeParse(given)
      if (!read.success) return refused(name, given, read.error)
      return {
        ok: true,
        tool: name,
        arguments: read.data,
        query: read.data.query,
        run: (signal) => graphQuery(read.data.query, parameters, services, signal),
      }
    }
    default:
      return {
        ok: false,
        tool: name,
        arguments: given,
        problem: 'There is no such tool: use vector_search or graph_query.',
      }
  }
}

const refused = (tool: string, given: unknown, error: z.ZodError): PreparedCall => ({
  ok: false,
  tool,
  arguments: given,
  problem: `The arguments are wrong: ${error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`).join('; ')}.`,
})

/** The passages nearest to a query, by its words and its vector, reranked. */
export async function vectorSearch(
  { query: text, top_k: limit }: { query: string; top_k: number },
  services: ApproachServices,
  signal?: AbortSignal,
): Promise<ToolResult> {
  const search = { alpha: ALPHA, retrieve_k: Math.max(CANDIDATES, limit), top_n: limit, rerank: true }
  const hits = await hybridSearch(text, search, 'plain', services, signal)
  const passages = hits.map(({ chunk }): FoundPassage => ({
    document: chunk.document,
    title: chunk.title,
    text: chunk.content,
    place: { chunk_index: chunk.chunkIndex, start_char: chunk.startChar, end_char: chunk.endChar },
  }))
  return { passages, facts: [], entities: 0, relations: 0 }
}

async function graphQuery(
  text: string,
  { graph_mode: mode, vector_top_k: chunks }: AgentParameters,
  services: ApproachServices,
  signal?: AbortSignal,
): Promise<ToolResult> {
  const question = { query: text, mode, chunk_top_k: chunks, ...GRAPH }
  const found = await services.graph.find(question, services, signal)
  const facts = [
    ...found.relations.map(
      ({ source, target, keywords, description }) => `${source} – ${keywords} – ${target}: ${description}`,
    ),
    ...found.entities.map(({ name, type, description }) => `${name} (${type}): ${description}`),
  ].map((fact) => fact.replace(/\s+/g, ' ').trim())
  const passages = found.chunks.map(({ document, title, content }): FoundPassage => ({
    document,
    title,
    text: content,
    place: {},
  }))
  return { passages, facts, entities: found.entities.length, relations: found.relations.length }
}

function parseJson(text: string): unknown {
  try {
    // Some services send nothing at all where the arguments are empty.
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
