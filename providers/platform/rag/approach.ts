import type { PromptChanges } from '../models/prompts/task-messages.ts'
import type { ApproachParameters, BaseApproach } from '../../../contract/approaches.ts'
import type { RagExtension, RagSource } from '../../../contract/evidence/rag-extension.ts'
import type { GraphQueryProfile } from '../../../contract/manifests/consumer.ts'
import type { ModelHost } from '../models/model-host.ts'
import type { Reranker } from '../models/tei/reranker.ts'
import type { collectionsOf } from '../stores/vector-store/collection-names.ts'
import type { StoredChunk, VectorStore } from '../stores/vector-store/vector-store.ts'
import type { WorkflowClient } from './adaptive/workflow-client.ts'
import type { AliasTable } from './alias-table.ts'
import type { CallAccount, GraphQueries } from './graph/graph-queries.ts'
import type { ConceptIndexes } from './lazy-graph/concept-indexes.ts'
import type { OwnEngine } from './own/own-engine.ts'

/** Describes where the active profile's chunks are kept. */
export interface ProfileCollections extends ReturnType<typeof collectionsOf> {
  profile: string
}

/** Engines that approaches ask, in this process or in another. */
export interface Engines {
  graph: GraphQueries
  workflow: WorkflowClient
  own: OwnEngine
}

/** Describes what the steps of an approach use of a trial, a question of a tuning. */
export interface TrialServices {
  /** True where no answer is written. */
  isRetrievalOnly: boolean
  /** Returns the vector of `key`, made by `embed` once for all trials. */
  vectorOf(key: string, embed: () => Promise<Float32Array>): Promise<Float32Array>
}

/** Describes what an approach may use. `models` and `addRemote` are the request's own metered view. */
export interface ApproachServices extends CallAccount, Engines {
  /** Adds what an engine in another process reports to have waited for models. */
  addWait: (waitedMs: number) => void
  /** The alias that was asked. */
  alias: string
  models: ModelHost
  reranker: Reranker
  store: VectorStore
  collections: ProfileCollections
  conceptIndexes: ConceptIndexes
  /** Managed query profiles of the graph engine, by name. */
  graphProfiles: ReadonlyMap<string, GraphQueryProfile>
  aliases: AliasTable
  /** Tokens of text that the answer is written from, whatever number of passages the parameters name; null leaves it to them. */
  contextBudget: number | null
  /** Sets what the flavor changes of the prompt that writes the answer. */
  promptChanges?: PromptChanges
  /** Of a question of a tuning; absent otherwise. */
  trial?: TrialServices | undefined
}

/** A chunk chosen as context; `score` is that of the step that ordered it, higher is better. */
export interface Passage {
  chunk: StoredChunk
  score: number
}

/** Describes what an approach hands back: unrendered answer, ordered contexts, how many of them were in the prompt. */
export interface ApproachAnswer {
  answer: string
  sources: RagSource[]
  chunks: number
  /** Tokens of all texts that the answer was written from; null where another engine does not report it. */
  contextTokens: number | null
  /** True where another engine reports that the answer ended at its limit of tokens. */
  isCut?: true | undefined
  /** Additive top-level keys of `rag_extension`. */
  metadata?: Pick<
    RagExtension,
    'used_passages' | 'derivations' | 'citations' | 'adaptive' | 'lazy_graph' | 'graph' | 'trajectory'
  > &
    Record<string, unknown>
}

/** Answers one question. Throws `RagError` for expected failures and `ModelCallError` when a model cannot answer. */
export type Approach<Base extends BaseApproach> = (
  question: string,
  parameters: ApproachParameters[Base],
  services: ApproachServices,
  signal?: AbortSignal,
) => Promise<ApproachAnswer>

/** An approach as the registry lists it. */
export interface ApproachEntry<Base extends BaseApproach> {
  answer: Approach<Base>
  /** Holds what has to be ingested before it can answer. */
  reads: readonly ('plain' | 'contextual' | 'tree' | 'graph')[]
}
