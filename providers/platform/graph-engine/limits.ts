/** Bounds of one engine; sizes in bytes, tokens by estimate. */
export interface GraphEngineLimits {
  /** Largest text of one document. */
  documentBytes: number
  /** Largest chunk, in characters, that is extracted and retrieved as one piece. */
  chunkChars: number
  /** Documents that are worked on side by side. */
  parallelDocuments: number
  /** Chunks of one document that are extracted side by side. */
  parallelChunks: number
  /** Extraction calls per chunk until its reply can be read. */
  extractAttempts: number
  /** Documents, or time, after which the graph is merged while the queue goes on. */
  mergeEvery: number
  mergeAfterMs: number
  /** Texts in one embedding call. */
  embedBatch: number
  /** Different descriptions that an entity or a relation keeps, in document order. */
  descriptionsKept: number
  /** Entities that a traversal may visit. */
  visitedEntities: number
  /** Relations on one path. */
  pathLength: number
  /** Lines of the pipeline's history. */
  historyLines: number
}

export const DEFAULT_LIMITS: GraphEngineLimits = {
  documentBytes: 16 * 1024 * 1024,
  chunkChars: 4800,
  parallelDocuments: 2,
  parallelChunks: 2,
  extractAttempts: 2,
  mergeEvery: 200,
  mergeAfterMs: 60_000,
  embedBatch: 64,
  descriptionsKept: 12,
  visitedEntities: 2000,
  pathLength: 4,
  historyLines: 200,
}
