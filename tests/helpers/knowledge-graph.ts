import type { ExtractedChunk } from '../../providers/platform/stores/graph-engine/stored-graph.ts'
import {
  creatingKnowledgeGraph,
  textsToEmbed,
  type GraphVectors,
  type KnowledgeGraph,
} from '../../providers/platform/stores/graph-engine/graph/knowledge-graph.ts'
import {
  mergingExtractions,
  type MergedGraph,
} from '../../providers/platform/stores/graph-engine/graph/merged-graph.ts'
import type { SlicedWork } from '../../core/sliced-work.ts'
import { createVectorTable } from './vector-table.ts'

/** All slices at once. */
export function runThrough<Result>(work: SlicedWork<Result>): Result {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** A document of one chunk, its text being its id. */
export const extractedChunk = (id: string, extraction: ExtractedChunk['extraction']): ExtractedChunk => ({
  id,
  documentId: id,
  filePath: `${id}.md`,
  title: id,
  index: 0,
  tokens: 1,
  content: id,
  extraction,
})

/** The merge of chunks in any order, as one document after the other has them. */
export const mergeExtractions = (chunks: readonly ExtractedChunk[], descriptionsKept: number): MergedGraph =>
  runThrough(mergingExtractions([...Map.groupBy(chunks, ({ documentId }) => documentId).values()], descriptionsKept))

export const createKnowledgeGraph = (merged: MergedGraph, vectors: GraphVectors): KnowledgeGraph =>
  runThrough(creatingKnowledgeGraph(merged, vectors))

/** The graph of chunks whose texts all have the same vector. */
export function graphOf(chunks: readonly ExtractedChunk[]): KnowledgeGraph {
  const merged = mergeExtractions(chunks, 12)
  const { entities, relations, chunks: texts } = textsToEmbed(merged)
  const table = ({ count }: { count: number }) =>
    createVectorTable(Array<Float32Array>(count).fill(Float32Array.of(1, 0)))
  return createKnowledgeGraph(merged, { entities: table(entities), relations: table(relations), chunks: table(texts) })
}
