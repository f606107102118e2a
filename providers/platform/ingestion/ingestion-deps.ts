import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import type { Logger } from '../../kit/logger.ts'
import type { StoredChunk, VectorStore } from '../stores/vector-store/vector-store.ts'
import type { Clock } from './clock.ts'
import type { CorpusLimits, CorpusRoots, KnownHashes, ReadingBudget } from './corpus.ts'
import type { GraphTargetClient } from './graph-phases.ts'
import type { EmbedDocuments } from './kept-vectors.ts'
import type { DocumentParser } from './parsers.ts'

/** Describes what ingestion needs from its host. */
export interface IngestionOptions {
  /** SQLite file of the jobs; shared by all processes that work on them. */
  stateFile: string
  corpusRoots: CorpusRoots
  consumer: string
  profiles: readonly IngestionProfile[]
  store: VectorStore
  embed: EmbedDocuments
  embeddingSpace: string
  limits: CorpusLimits
  /** Holds what a request may read of a corpus to learn whether it is known; the job reads what is more. */
  readInRequest?: ReadingBudget
  /** Time without a renewal after which another worker takes the job: 10 to 300 seconds. */
  leaseSeconds: number
  /** Parsers besides plain text, tried in the profile's order. */
  parsers?: readonly DocumentParser[]
  /** The engine that a profile's documents go to; absent: the graph phases are skipped. */
  graph?: (profile: string) => GraphTargetClient
  /** Makes what is derived from a collection ready before its new chunks replace the present ones. */
  prepare?: (collection: string, contentDigest: string, chunks: readonly StoredChunk[]) => Promise<void>
  clock?: Clock
  logger?: Logger
}

/** The same with its clock, and the hashes of files that were read before. */
export type IngestionDeps = IngestionOptions & { clock: Clock; knownHashes: KnownHashes }
