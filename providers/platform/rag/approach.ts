import type {
  ApproachParameters,
  BaseApproach,
  GraphQueryProfile,
  RagExtension,
  RagSource,
} from '../../../contract/index.ts'
import type { ModelHost } from '../models/model-host.ts'
import type { Reranker } from '../tei/reranker.ts'
import type { StoredChunk, VectorStore } from '../vector-store/vector-store.ts'
import type { WorkflowClient } from './adaptive/workflow-client.ts'
import type { AliasTable } from './alias-table.ts'
import type { CallAccount, GraphQueries } from './graph/graph-queries.ts'
import type { ConceptIndexes } from './lazy-graph/concept-indexes.ts'

/** Where the active profile's chunks are kept. */
export interface ProfileCollections {
  profile: string
  plain: string
  contextual: string
}

/** Engines that a platform may lack. */
export interface OptionalEngines {
  graph: GraphQueries | null
  workflow: WorkflowClient | null
}

/** What an approach may use. `models` and `addRemote` are the request's own metered view. */
export interface ApproachServices extends CallAccount, OptionalEngines {
  models: ModelHost
  reranker: Reranker
  store: VectorStore
  collections: ProfileCollections
  conceptIndexes: ConceptIndexes
  /** Managed query profiles of the graph engine, by name. */
  graphProfiles: ReadonlyMap<string, GraphQueryProfile>
  aliases: AliasTable
  /** The flavor's instructions to the model that writes the answer. */
  instructions?: string | undefined
}

/** A chunk chosen as context; `score` is that of the step that ordered it, higher is better. */
export interface Passage {
  chunk: StoredChunk
  score: number
}

/** What an approach hands back: unrendered answer, ordered contexts, how many of them were in the prompt. */
export interface ApproachAnswer {
  answer: string
  sources: RagSource[]
  chunks: number
  /** Additive top-level keys of `rag_extension`. */
  metadata?: Pick<RagExtension, 'used_passages' | 'adaptive' | 'lazy_graph' | 'graph' | 'trajectory'> &
    Record<string, unknown>
}

/** Answers one question. Throws `RagError` for expected failures and `ModelCallError` when a model cannot answer. */
export type Approach<Base extends BaseApproach> = (
  question: string,
  parameters: ApproachParameters[Base],
  services: ApproachServices,
  signal?: AbortSignal,
) => Promise<ApproachAnswer>

/** An approach as the registry lists it, with the engines that it cannot do without. */
export interface ApproachEntry<Base extends BaseApproach> {
  answer: Approach<Base>
  needs: readonly (keyof OptionalEngines)[]
  /** What has to be ingested before it can answer. */
  reads: readonly ('plain' | 'contextual' | 'graph')[]
}
