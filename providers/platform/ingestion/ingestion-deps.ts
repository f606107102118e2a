import type { IngestionProfile } from '../../../contract/index.ts'
import type { Logger } from '../../kit/logger.ts'
import type { VectorStore } from '../vector-store/vector-store.ts'
import type { Clock } from './clock.ts'
import type { DocumentParser } from './document-parser.ts'
import type { GraphTargets } from './graph-target.ts'
import type { EmbedDocuments } from './phases.ts'
import type { CorpusLimits } from './settings.ts'

/** What ingestion needs from its host. */
export interface IngestionOptions {
  /** SQLite file of the jobs; shared by all processes that work on them. */
  stateFile: string
  /** Folder that corpus paths are relative to. */
  corpusRoot: string
  consumer: string
  profiles: readonly IngestionProfile[]
  store: VectorStore
  embed: EmbedDocuments
  embeddingModelName: string
  limits: CorpusLimits
  /** How long a run may be silent before another worker takes the job: 10 to 300. */
  leaseSeconds: number
  /** Parsers beside plain text, asked in the profile's order. */
  parsers?: readonly DocumentParser[]
  /** Null or absent: the graph phases are skipped. */
  graph?: GraphTargets | null
  clock?: Clock
  logger?: Logger
  /** Hands a recorded job to a worker; by default wakes the one of this process. A rejection makes the job a failed one. */
  dispatch?: (jobId: string) => Promise<void>
}

export type IngestionDeps = IngestionOptions & { clock: Clock }
