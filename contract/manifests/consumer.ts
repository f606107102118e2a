import { z } from 'zod'
import { BaseApproach, GraphQuerySettings } from '../approaches.ts'
import { PluginAuth, RAG_PLUGIN_ROOT } from './plugin.ts'
import { EvidenceCapability, Identifier, SafeRelativePath, versioned } from '../common.ts'

/** Which parser reads a corpus file, tried in order; the first that accepts the file wins. */
export const ParserName = z.enum(['converter', 'plain_text', 'speech'])
export type ParserName = z.infer<typeof ParserName>

export const ChunkStrategy = z.enum(['token', 'recursive', 'semantic'])
export type ChunkStrategy = z.infer<typeof ChunkStrategy>

/** Describes how documents become chunks; size and overlap in characters for recursive and semantic, in tokens for token. */
export const ChunkerSettings = z
  .strictObject({
    strategy: ChunkStrategy.default('recursive'),
    chunk_size: z.int().min(1).max(8192),
    overlap: z.int().min(0).max(2048),
  })
  .refine((value) => value.overlap < value.chunk_size, {
    path: ['overlap'],
    message: 'overlap must be less than chunk_size',
  })

/** Describes what happens to the job when a target service cannot be reached. */
const OnUnavailable = z.enum(['fail', 'skip'])

export const VectorTarget = z.strictObject({
  collection_prefix: Identifier,
  on_unavailable: OnUnavailable.default('fail'),
})

export const GraphTarget = z.strictObject({
  mode: z.literal('upload_documents'),
  wait_for_extraction: z.boolean(),
  timeout_seconds: z.number().positive().max(86_400),
  on_unavailable: OnUnavailable.default('fail'),
})

/** Types of entities that extraction looks for, in lower case: `person`, `condition`, `trade name`. */
export const EntityTypes = z
  .array(
    z
      .string()
      .regex(/^\p{Ll}[\p{Ll}\p{N} _-]{0,39}$/u, 'expected a word or two in lower case, such as person or trade name'),
  )
  .min(1)
  .max(40)
  .refine((types) => new Set(types).size === types.length, 'expected each type once')

export const IngestionProfile = z.strictObject({
  name: Identifier,
  corpus: z.strictObject({ source: z.literal('mount'), path: SafeRelativePath }),
  parser_order: z.array(ParserName).min(1),
  chunker: ChunkerSettings,
  vector_target: VectorTarget,
  graph_target: GraphTarget,
  /** Holds what the graph engine looks for in this corpus; its own list unless given. */
  entity_types: EntityTypes.optional(),
})
export type IngestionProfile = z.infer<typeof IngestionProfile>

export const GraphQueryProfile = z.strictObject({ name: Identifier, ...GraphQuerySettings.shape })
export type GraphQueryProfile = z.infer<typeof GraphQueryProfile>

/** A model alias that the gateway offers: an approach or one of its flavors. The flavor's values live in the flavors file. */
export const AliasDeclaration = z.strictObject({
  alias: Identifier,
  base: BaseApproach,
  experimental: z.boolean().default(false),
  evidence: EvidenceCapability,
})
export type AliasDeclaration = z.infer<typeof AliasDeclaration>

const uniqueBy = <Item>(items: Item[], key: (item: Item) => string): boolean =>
  new Set(items.map(key)).size === items.length

/** `manifests/consumer.yaml`: what this project declares to the platform. */
export const ConsumerManifest = versioned({
  project: Identifier,
  branding: z.strictObject({ name: z.string().min(1), tagline: z.string() }),
  /** Limits of the platform as `NAME=value` lines, in the project's folder; values from the environment take precedence. */
  env_file: SafeRelativePath.nullable(),
  compose_overlay: z.null('is not read: the platform runs as one process without containers; expected null'),
  plugin: z.strictObject({
    root: z.literal(
      RAG_PLUGIN_ROOT,
      `expected ${RAG_PLUGIN_ROOT}, the plugin of this program that answers the aliases; list others in "plugins"`,
    ),
    route_prefix: z.string().startsWith('/'),
    auth: PluginAuth,
  }),
  /** Folders of further plugins in the project, each with a `plugin.yaml`. They run where PLATFORM_PLUGINS names them. */
  plugins: z
    .array(SafeRelativePath)
    .max(20)
    .refine((roots) => new Set(roots).size === roots.length, 'expected each folder once')
    .optional(),
  workflow: z.strictObject({ file: SafeRelativePath, webhook_path: Identifier }),
  aliases: z
    .array(AliasDeclaration)
    .min(1)
    .refine((items) => uniqueBy(items, (item) => item.alias), 'alias names must be unique'),
  ingestion_profiles: z
    .array(IngestionProfile)
    .min(1)
    .refine((items) => uniqueBy(items, (item) => item.name), 'ingestion profile names must be unique'),
  graph_query_profiles: z
    .array(GraphQueryProfile)
    .refine((items) => uniqueBy(items, (item) => item.name), 'graph query profile names must be unique'),
})
export type ConsumerManifest = z.infer<typeof ConsumerManifest>
