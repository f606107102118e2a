// The words for each parameter of an approach, and its kind and range as the table of approaches has them: what an editor shows and the command
// line reads.
import { z } from 'zod'
import { BaseApproach } from '../contract/approaches.ts'
import { ownParameters } from '../contract/manifests/flavors.ts'

interface ParameterWords {
  label: string
  /** Holds what it changes, in one sentence. */
  about: string
}

export const PARAMETER_WORDS: Readonly<Record<string, ParameterWords>> = {
  k: { label: 'Chunks handed over', about: 'How many of the nearest chunks the answer is written from.' },
  retrieve_k: { label: 'Chunks retrieved', about: 'How many chunks the search finds before the best are chosen.' },
  top_n: { label: 'Chunks handed over', about: 'How many of the retrieved chunks the answer is written from.' },
  alpha: {
    label: 'Weight of the vectors',
    about:
      '0 is keyword search alone, 1 vector search alone; at 0.5 without a reranker, built-in vectors count by what they add to the keywords.',
  },
  rerank: { label: 'Reranker', about: 'Puts the retrieved chunks in order again before the best are chosen.' },
  instructions: {
    label: 'Instructions for the answer',
    about: 'Added to the prompt of the model that writes the answer; the built-in answerer, a rule, ignores it.',
  },
  answer_prompt: {
    label: 'Prompt of the answer',
    about: 'Replaces the prompt of the model that writes the answer; the built-in answerer, a rule, ignores it.',
  },
  agent_prompt: {
    label: 'Prompt of the agent',
    about:
      'Replaces the prompt of the conversation in which the agent searches; the built-in agent, a rule, ignores it.',
  },
  mode: {
    label: 'Query mode',
    about: 'How the graph engine searches: near entities, far relations, both, or chunks too.',
  },
  top_k: { label: 'Entities and relations', about: 'How many the graph query starts from.' },
  chunk_top_k: { label: 'Chunks of the graph', about: 'How many chunks the graph answer is written from.' },
  max_total_tokens: { label: 'Tokens of the context', about: 'How long the context of a graph answer may be.' },
  enable_rerank: { label: 'Reranker of the graph', about: 'Puts the chunks of a graph query in order again.' },
  max_steps: { label: 'Steps', about: 'How often the agent may reply, the answer included.' },
  vector_top_k: { label: 'Chunks of a search', about: 'How many chunks each search of the agent finds.' },
  max_contexts: {
    label: 'Chunks handed over',
    about: 'How many of all chunks that the steps found the answer is written from.',
  },
  graph_mode: { label: 'Query mode of the graph', about: 'How the agent asks the graph engine.' },
  relevance_budget: { label: 'Chunks tested', about: 'How many chunks the walk over concepts may test for relevance.' },
  seed_k: { label: 'Seeds', about: 'How many found chunks the walk starts from.' },
  max_context_chunks: { label: 'Chunks handed over', about: 'How many chunks the answer is written from.' },
  max_concepts_per_chunk: { label: 'Concepts of a chunk', about: 'How many concepts of a chunk the walk may follow.' },
}

/** One parameter that a person can set. */
export interface ParameterField extends ParameterWords {
  name: string
  /** `text` may be left out; every other has a value. */
  kind: 'integer' | 'share' | 'switch' | 'choice' | 'text'
  /** Of a number: lowest and highest value. Of a text: characters. */
  range: readonly [number, number] | null
  /** Of a choice. */
  options: readonly string[]
}

const FieldSchema = z.looseObject({
  type: z.enum(['integer', 'number', 'boolean', 'string']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  enum: z.array(z.string()).optional(),
})
const Fields = z.looseObject({ properties: z.record(z.string(), FieldSchema) })

/** Returns what a person can set of an approach, in the order of its table; empty where there is nothing. */
export function parameterFields(base: BaseApproach): ParameterField[] {
  const schema = ownParameters(base)
  if (schema === null) return []
  const { properties } = Fields.parse(z.toJSONSchema(schema, { io: 'input' }))
  return Object.entries(properties).map(([name, field]) => ({
    name,
    ...PARAMETER_WORDS[name]!,
    kind: kindOf(field),
    range: rangeOf(field),
    options: field.enum ?? [],
  }))
}

function kindOf({ type, enum: options }: z.infer<typeof FieldSchema>): ParameterField['kind'] {
  if (options !== undefined) return 'choice'
  return ({ integer: 'integer', number: 'share', boolean: 'switch', string: 'text' } as const)[type]
}

function rangeOf({
  type,
  minimum,
  maximum,
  minLength,
  maxLength,
}: z.infer<typeof FieldSchema>): ParameterField['range'] {
  if (type === 'string') return maxLength === undefined ? null : [minLength ?? 0, maxLength]
  return minimum === undefined || maximum === undefined ? null : [minimum, maximum]
}
