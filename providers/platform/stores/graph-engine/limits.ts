/** Bounds of one engine; sizes in bytes, tokens by estimate. */
export interface GraphEngineLimits {
  /** Largest text of one document. */
  documentBytes: number
  /** Largest chunk, in characters, that is extracted and retrieved as one piece. */
  chunkChars: number
  /** Documents processed at the same time. */
  parallelDocuments: number
  /** Chunks of one document extracted at the same time. */
  parallelChunks: number
  /** While the queue continues, a graph is built for queries at most this often, and only when one asks for it. */
  mergeAfterMs: number
  /** Texts in one embedding call. */
  embedBatch: number
  /** Different descriptions that an entity or a relation keeps, in document order. */
  descriptionsKept: number
  /** Steps that the search for paths may take. */
  visitedEntities: number
  /** Entities nearest to the question's that the random walk stays among. */
  walkedEntities: number
  /** Relations on one path. */
  pathLength: number
  /** Lines of the pipeline's history. */
  historyLines: number
}
