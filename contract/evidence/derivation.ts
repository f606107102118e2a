import { z } from 'zod'

/**
 * Describes how the extraction of a graph went, counted over the chunks of its documents. `chunks_sent` went to the model; of those, replies were parsed (and
 * of these some name no entity), cut at a limit of length or of entries, or could not be used; `items_dropped` are entities and relations of the wrong shape.
 */
export const ExtractionHealth = z.looseObject({
  chunks_sent: z.int().min(0),
  chunks_parsed: z.int().min(0),
  chunks_empty: z.int().min(0),
  chunks_truncated: z.int().min(0),
  chunks_refused: z.int().min(0),
  items_dropped: z.int().min(0),
  documents: z.int().min(0),
  documents_without_entity: z.int().min(0),
})
export type ExtractionHealth = z.infer<typeof ExtractionHealth>

/** Chunks of a contextual collection, and those that are indexed without a context because the call for it failed. */
export const ContextHealth = z.looseObject({
  chunks: z.int().min(1),
  without_context: z.int().min(1),
})
export type ContextHealth = z.infer<typeof ContextHealth>

/** Documents of a corpus, and those that its collection lacks because a text of them cannot be embedded. */
export const DocumentHealth = z.looseObject({
  documents: z.int().min(1),
  without_vectors: z.int().min(1),
})
export type DocumentHealth = z.infer<typeof DocumentHealth>

/**
 * Describes what made something that is derived from documents. It is stored with what it describes; equal records mean that the same input went through the
 * same models, settings and code, and only then is a derived artefact used again. Rows carry the records of the artefacts that answered them.
 */
export const Derivation = z.looseObject({
  /**
   * chunks: with their vectors; contexts: chunks with the text that a model wrote for each; graph; concepts: the index of lazy-graph-rag; tree: chunks with
   * summaries of clusters of them; query: what a model wrote to search with; answer.
   */
  artefact: z.enum(['chunks', 'contexts', 'graph', 'concepts', 'tree', 'query', 'answer']),
  /** Digest of what it was made from: the corpus, or the artefact before it. */
  input: z.string(),
  /** Versions of the code of this program that made it. */
  code: z.string(),
  /** Embedding model with its settings; left out where nothing is embedded. */
  embedding: z.string().optional(),
  /** Model that wrote it, with its settings; left out where no model writes. */
  model: z.string().optional(),
  /** Digest of the prompt that the model was given; for an answer after its name and version. */
  prompt: z.string().optional(),
  /** Of an answer: the model that ordered its passages, `none` where none did; left out where it is unknown. */
  reranker: z.string().optional(),
  entity_types: z.array(z.string()).optional(),
  /** Settings of the chunker, or characters of a chunk. */
  chunking: z.json().optional(),
  parsers: z.array(z.string()).optional(),
  /** Of a graph: how often the model was asked for what it had left out. */
  gleanings: z.int().optional(),
  /** Of a concept index: most concepts of a chunk. */
  max_concepts: z.int().optional(),
  extraction: ExtractionHealth.optional(),
  /** Of contexts, where some failed. */
  contexts: ContextHealth.optional(),
  /** Of chunks, where documents are left out. */
  left_out: DocumentHealth.optional(),
})
export type Derivation = z.infer<typeof Derivation>
