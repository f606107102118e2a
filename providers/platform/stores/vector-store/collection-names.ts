import type { IngestionProfile } from '../../../../contract/manifests/consumer.ts'

/** Names of the collections of a profile: its chunks, those with a context before them, and the tree of summaries above them. */
export const collectionsOf = ({ name, vector_target: target }: Pick<IngestionProfile, 'name' | 'vector_target'>) => ({
  plain: `${target.collection_prefix}_${name}`,
  contextual: `RagContextual_${name}`,
  tree: `RagTree_${name}`,
})
