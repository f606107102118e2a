// One descriptor per base approach: its parameters, its looks and how a run uses it. Every list of approaches in the product is derived from
// this table: the manifests' schemas, the default matrix, routes and availability of the gateway, charts, report and terminal.
// To add one: a descriptor here, its file in providers/platform/rag/approaches, its entry in that folder's registry.ts.
import { z } from 'zod'
import { Identifier } from './common.ts'

/** Two are free for the next approaches. */
export type ApproachMarker =
  | 'square'
  | 'circle'
  | 'diamond'
  | 'triangle'
  | 'pentagon'
  | 'cross'
  | 'hexagon'
  | 'star'
  | 'triangle-down'

interface ApproachDescriptor {
  /** Name without what all approaches share. */
  short: string
  /** Okabe and Ito's colours, which are safe for color-blind readers; yellow is darkened. */
  colour: string
  /** Drawn with the colour: colour alone never carries a meaning. */
  marker: ApproachMarker
  /** What an alias of this approach sets in the flavors file. */
  parameters: z.ZodType
  /** What a person's own flavor sets, where that is not `parameters`; null where there is nothing to set. */
  ownParameters?: z.ZodType | null
  /** Runs only when it is selected by name; all others are the default matrix. */
  experimental?: boolean
  /** Asked with the contextual collection, by itself or through the alias that it delegates to. */
  usesContextual?: boolean
  /** Asks the graph engine, by itself or through the alias that it delegates to: the corpus is extracted for it. */
  usesGraph?: boolean
}

const count = z.int().min(1).max(200)
const weight = z.number().min(0).max(1)
/** What the model that writes the answer is instructed to do beside its task. The built-in answerer, which is a rule, ignores it. */
const instructions = z.string().trim().min(1).max(2000).optional()
const hybridSearch = z.strictObject({
  retrieve_k: count,
  top_n: count,
  alpha: weight,
  rerank: z.boolean(),
  instructions,
})

/** How the graph engine is asked. */
export const GraphQuerySettings = z.strictObject({
  mode: z.enum(['local', 'global', 'hybrid', 'naive', 'mix']),
  top_k: count,
  chunk_top_k: count,
  max_total_tokens: z.int().min(256).max(200_000),
  enable_rerank: z.boolean(),
})
const ownGraphQuery = z.strictObject({ ...GraphQuerySettings.shape, instructions })

/** In ladder order. */
export const APPROACHES = {
  'vanilla-rag': {
    short: 'vanilla',
    colour: '#0072B2',
    marker: 'square',
    parameters: z.strictObject({ k: count, instructions }),
  },
  'hybrid-rag': { short: 'hybrid', colour: '#E69F00', marker: 'circle', parameters: hybridSearch },
  'contextual-rag': {
    short: 'contextual',
    colour: '#009E73',
    marker: 'diamond',
    parameters: hybridSearch,
    usesContextual: true,
  },
  'graph-rag': {
    short: 'graph',
    colour: '#CC79A7',
    marker: 'triangle',
    usesGraph: true,
    /** A managed query profile by name, or the settings themselves. */
    parameters: z.union([z.strictObject({ query_profile: Identifier }), ownGraphQuery]),
    ownParameters: ownGraphQuery,
  },
  'agentic-rag': {
    short: 'agentic',
    colour: '#D55E00',
    marker: 'pentagon',
    usesGraph: true,
    parameters: z.strictObject({
      max_steps: z.int().min(1).max(50),
      vector_top_k: count,
      /** Contexts that the answer is given out of everything that the steps found. */
      max_contexts: z.int().min(1).max(50).default(8),
      graph_mode: z.enum(['local', 'global', 'hybrid', 'naive', 'mix']),
      instructions,
    }),
  },
  'workflow-adaptive-rag': {
    short: 'adaptive',
    colour: '#56B4E9',
    marker: 'cross',
    parameters: z.strictObject({}),
    ownParameters: null,
    usesContextual: true,
    usesGraph: true,
  },
  'lazy-graph-rag': {
    short: 'lazy-graph',
    colour: '#8F7700',
    marker: 'hexagon',
    parameters: z.strictObject({
      relevance_budget: z.int().min(1).max(1000),
      seed_k: count,
      max_context_chunks: count,
      max_concepts_per_chunk: count,
      instructions,
    }),
    experimental: true,
  },
} as const satisfies Record<string, ApproachDescriptor>

/** Flavor that reports show as the floor: keyword search alone, which every other approach should exceed. */
export const KEYWORD_FLOOR = 'bm25'

/** Alias that the others are compared with, where it is selected and no other is chosen. */
export const BASELINE = 'hybrid-rag'

export type BaseApproach = keyof typeof APPROACHES
export const BaseApproach = z.enum(Object.keys(APPROACHES) as [BaseApproach, ...BaseApproach[]])

export type ApproachParameters = { [Base in BaseApproach]: z.infer<(typeof APPROACHES)[Base]['parameters']> }

export const approachDescriptor = (base: BaseApproach): ApproachDescriptor => APPROACHES[base]

/** The canonical approaches: the default matrix. */
export const CANONICAL_APPROACHES: readonly BaseApproach[] = BaseApproach.options.filter(
  (base) => approachDescriptor(base).experimental !== true,
)
