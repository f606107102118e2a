import type { GraphQueryData, GraphReference } from '../../../../contract/index.ts'
import type { GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import type { GraphContext } from './build-context.ts'

/** What the engine's clients expect between the members of a joined list. */
const JOINED = '<SEP>'

/** A context in the form of `/query/data`; references are numbered by the first appearance of their file. */
export function queryData(graph: KnowledgeGraph, context: GraphContext): GraphQueryData {
  const files = [
    ...context.chunks.map(({ item }) => item.filePath),
    ...context.relations.flatMap(({ filePaths }) => filePaths),
    ...context.entities.flatMap(({ filePaths }) => filePaths),
  ]
  const ids = new Map([...new Set(files)].map((file, index) => [file, String(index + 1)]))
  const shared = (part: GraphEntity | GraphRelation) => ({
    description: part.statements.map(({ text }) => text).join(JOINED),
    source_id: part.chunkIds.join(JOINED),
    file_path: part.filePaths.join(JOINED),
    reference_id: ids.get(part.filePaths[0]!) ?? '',
  })
  return {
    entities: context.entities.map((entity) => ({
      entity_name: entity.name,
      entity_type: entity.type,
      ...shared(entity),
    })),
    relationships: context.relations.map((relation) => ({
      src_id: graph.entities[relation.sourceIndex]!.name,
      tgt_id: graph.entities[relation.targetIndex]!.name,
      keywords: relation.keywords.join(', '),
      weight: relation.weight,
      ...shared(relation),
    })),
    chunks: context.chunks.map(({ item, score }) => ({
      content: item.content,
      file_path: item.filePath,
      chunk_id: item.id,
      reference_id: ids.get(item.filePath)!,
      title: item.title,
      score,
    })),
    references: [...ids].map(([file_path, reference_id]) => ({ reference_id, file_path })),
  }
}

/** References with the chunk texts of their file. */
export function referencesWithContent(data: GraphQueryData): GraphReference[] {
  return data.references.map((reference) => ({
    ...reference,
    content: data.chunks.filter(({ file_path }) => file_path === reference.file_path).map(({ content }) => content),
  }))
}
