import { createHash } from 'node:crypto'
import { canonicalJson, IngestionProfile } from '../../../contract/index.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Revision of a profile: SHA-256 of its normalised form, defaults filled in and keys sorted. */
export function profileRevision(profile: IngestionProfile): string {
  return sha256(canonicalJson(IngestionProfile.parse(profile)))
}

/** What makes two submissions the same work: who asks, how the corpus is treated, and what is in it. */
export function idempotencyKey(consumer: string, revision: string, contentDigest: string): string {
  return sha256(canonicalJson({ consumer, revision, content_digest: contentDigest }))
}

/**
 * Digest that a collection carries: corpus, treatment and embedding model together. A collection that was written by another
 * revision or model has other vectors for the same files, and so another digest.
 */
export function collectionDigest(revision: string, contentDigest: string, embeddingModel: string): string {
  return sha256(canonicalJson({ revision, content_digest: contentDigest, embedding_model: embeddingModel }))
}

/** Name of the collection that a profile's chunks go to. */
export const collectionName = (profile: IngestionProfile): string =>
  `${profile.vector_target.collection_prefix}_${profile.name}`
