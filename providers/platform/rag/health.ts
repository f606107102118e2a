import type { CollectionInfo } from '../vector-store/vector-store.ts'
import type { AliasTable } from './alias-table.ts'
import type { ProfileCollections } from './approach.ts'
import { availabilityOf, type PlatformData } from './approaches/registry.ts'
import type { BuildProgress } from './contextual/builder.ts'

interface CollectionHealth {
  name: string
  chunks: number
  content_digest: string
  embedding_model: string
}

/** Body of `GET /rag/health`. A collection is null while it does not exist. */
export interface PluginHealth {
  status: 'healthy' | 'not_ready'
  /** Why it is not ready. */
  reason: string | null
  profile: string | null
  collections: { plain: CollectionHealth | null; contextual: CollectionHealth | null }
  aliases: { alias: string; base: string; available: boolean; reason: string | null; needs_ingestion?: boolean }[]
  /** Contextual builds of this process by profile; counts of chunks. */
  contextual_builds: Record<string, BuildProgress>
}

function shown(info: CollectionInfo | null): CollectionHealth | null {
  if (info === null) return null
  const { name, chunkCount, contentDigest, embeddingModel } = info
  return { name, chunks: chunkCount, content_digest: contentDigest, embedding_model: embeddingModel }
}

function whyNotReady(active: ProfileCollections | null, plain: CollectionHealth | null): string | null {
  if (active === null) return 'no ingestion profile is active'
  return plain === null ? `profile '${active.profile}' has not been ingested` : null
}

/** State of the plugin: active profile, its collections, every alias. */
export async function pluginHealth(
  state: PlatformData & { table: AliasTable; builds: Record<string, BuildProgress> },
): Promise<PluginHealth> {
  const { store, table, active } = state
  const plain = active === null ? null : shown(await store.info(active.plain))
  const contextual = active === null ? null : shown(await store.info(active.contextual))
  const reason = whyNotReady(active, plain)
  return {
    status: reason === null ? 'healthy' : 'not_ready',
    reason,
    profile: active?.profile ?? null,
    collections: { plain, contextual },
    aliases: await Promise.all(
      [...table.values()].map(async ({ alias, base }) => ({ alias, base, ...(await availabilityOf(base, state)) })),
    ),
    contextual_builds: state.builds,
  }
}
