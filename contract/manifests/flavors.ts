import { z } from 'zod'
import { BaseApproach, Identifier, versioned } from '../common.ts'

const count = z.int().min(1).max(200)
const weight = z.number().min(0).max(1)

/** Parameters each base approach takes; an alias names one complete set. */
export const ApproachParameters = {
  'vanilla-rag': z.strictObject({ k: count }),
  'hybrid-rag': z.strictObject({ retrieve_k: count, top_n: count, alpha: weight, rerank: z.boolean() }),
  'contextual-rag': z.strictObject({ retrieve_k: count, top_n: count, alpha: weight, rerank: z.boolean() }),
  'graph-rag': z.strictObject({ query_profile: Identifier }),
  'agentic-rag': z.strictObject({
    max_steps: z.int().min(1).max(50),
    vector_top_k: count,
    graph_mode: z.enum(['local', 'global', 'hybrid', 'naive', 'mix']),
  }),
  'workflow-adaptive-rag': z.strictObject({}),
  'lazy-graph-rag': z.strictObject({
    relevance_budget: z.int().min(1).max(1000),
    seed_k: count,
    max_context_chunks: count,
    max_concepts_per_chunk: count,
  }),
} as const satisfies Record<BaseApproach, z.ZodType>
export type ApproachParameters = { [Base in BaseApproach]: z.infer<(typeof ApproachParameters)[Base]> }

const flavorOf = <Base extends BaseApproach>(base: Base) =>
  z.strictObject({
    alias: Identifier,
    base: z.literal(base),
    /** The flavor's own name; null for the base alias. */
    flavor: Identifier.nullable(),
    /** True when switching to this flavor needs the corpus ingested again. */
    requires_reingest: z.boolean().default(false),
    parameters: ApproachParameters[base],
  })

/** One alias with its complete parameter set, discriminated by `base`. */
export const Flavor = z.discriminatedUnion('base', [
  flavorOf('vanilla-rag'),
  flavorOf('hybrid-rag'),
  flavorOf('contextual-rag'),
  flavorOf('graph-rag'),
  flavorOf('agentic-rag'),
  flavorOf('workflow-adaptive-rag'),
  flavorOf('lazy-graph-rag'),
])
export type Flavor = z.infer<typeof Flavor>

/** `manifests/flavors.yaml`. */
export const FlavorsManifest = versioned({ flavors: z.array(Flavor).min(1) })
export type FlavorsManifest = z.infer<typeof FlavorsManifest>
