import { z } from 'zod'
import { Identifier } from '../common.ts'
import { CatalogueModel } from '../manifests/model-catalogue.ts'
import { Connection, ConnectionKind } from '../manifests/model-connections.ts'
import { DeclaredSet } from '../manifests/models.ts'
import { ModelPrice } from '../manifests/prices.ts'
import { ModelSetView } from './experiment.ts'
import { SecretText } from './settings.ts'

/** A connection to a model service, as a page shows it. */
export const ConnectionView = z.strictObject({
  name: Identifier,
  kind: ConnectionKind,
  /** As declared: variables of the environment still in it. */
  address: z.string(),
  /** Where its key is: in a variable, or stored on this computer. */
  key: z.enum(['none', 'environment', 'stored']),
  /** Variable that holds its key; null where none does. */
  key_env: z.string().nullable(),
  /** Whether the variable has a value, or a key is stored for its address; true where none is needed. */
  key_set: z.boolean(),
  /** Calls leave this machine. */
  cloud: z.boolean(),
  /** A person's own, which can be removed; others are part of the project. */
  own: z.boolean(),
  /** As it is written, to be edited. */
  declared: Connection,
})
export type ConnectionView = z.infer<typeof ConnectionView>

/** Connections and model sets of the project and of the person who works in it. */
export const ModelsView = z.strictObject({
  connections: z.array(ConnectionView),
  sets: z.array(ModelSetView),
})
export type ModelsView = z.infer<typeof ModelsView>

/** Prices of models per million tokens, and the paid models of the sets, priced or not. */
export const PricesView = z.strictObject({
  currency: z.string(),
  models: z.record(z.string(), ModelPrice),
  paid: z.array(z.string()),
})
export type PricesView = z.infer<typeof PricesView>

/** Model services that listen on their usual port of this machine, and model files in the usual folders. */
export const FoundModels = z.strictObject({
  services: z.array(z.strictObject({ kind: ConnectionKind, address: z.string(), models: z.array(z.string()) })),
  files: z.array(z.strictObject({ path: z.string(), size_bytes: z.int().min(0) })),
  /** Folders that were searched and exist. */
  folders: z.array(z.string()),
  /** Memory of this machine. */
  memory_bytes: z.int().min(0),
})
export type FoundModels = z.infer<typeof FoundModels>

const seconds = z.number().positive().max(3600)

/** What is tested: a connection by its name, one that is not saved yet, or a GGUF file on this machine. */
export const TestModelInput = z.strictObject({
  target: z.union([
    z.strictObject({ name: Identifier }),
    z.strictObject({
      connection: Connection,
      /** Name of the saved connection that is being edited, for its stored key. */
      name: Identifier.optional(),
      /** Entered just now, and not stored. */
      key: SecretText.optional(),
    }),
    z.strictObject({ file: z.string().min(1).max(4096) }),
  ]),
  /** Null: the first that the service lists for the work. */
  model: z.string().min(1).max(512).nullable().default(null),
  embedding_model: z.string().min(1).max(512).nullable().default(null),
  /** Asks for the models only; of a service. */
  list_only: z.boolean().default(false),
  /** For each request. */
  timeout_s: seconds.default(60),
})
export type TestModelInput = z.infer<typeof TestModelInput>

export const ModelProbe = z.strictObject({
  probe: z.enum(['file', 'models', 'chat', 'structured', 'embedding']),
  /** `unsupported`: it answers that it does not do this, which matters only to a role that needs it. */
  status: z.enum(['passed', 'failed', 'unsupported', 'skipped']),
  model: z.string().nullable(),
  latency_ms: z.number().min(0).nullable(),
  /** Number of models, tokens per second, dimensions, or size. */
  finding: z.string().nullable(),
  error: z.string().nullable(),
  remedy: z.string().nullable(),
})
export type ModelProbe = z.infer<typeof ModelProbe>

export const ModelTest = z.strictObject({
  works: z.boolean(),
  /** Why nothing was asked: an unset variable, an address that may not get the key. */
  problems: z.array(z.string()),
  probes: z.array(ModelProbe),
  /** Everything that the service lists. */
  models: z.array(z.string()),
})
export type ModelTest = z.infer<typeof ModelTest>

/** A model of the catalogue beside this machine. */
export const CatalogueEntry = z.strictObject({
  ...CatalogueModel.shape,
  /** Whether its memory is within that of this machine; null where it is not known. */
  fits: z.boolean().nullable(),
  /** Its files are in the folder of models. */
  fetched: z.boolean(),
  /** Where its files are, or will be. */
  paths: z.array(z.string()),
  /** What has arrived of an interrupted download, and of finished files. */
  received_bytes: z.int().min(0),
  /** Model sets that name one of its files. */
  used_by: z.array(z.string()),
})
export type CatalogueEntry = z.infer<typeof CatalogueEntry>

/** Bytes of all files so far; the last one has the paths of the files. */
export const FetchProgress = z.strictObject({
  received_bytes: z.int().min(0),
  total_bytes: z.int().min(1),
  paths: z.array(z.string()).nullable(),
})
export type FetchProgress = z.infer<typeof FetchProgress>

export const AddConnectionInput = z.strictObject({
  name: Identifier,
  connection: Connection,
  /** Stored on this computer, in place of a variable. */
  key: SecretText.optional(),
})
/** Null deletes the stored key. */
export const SetKeyInput = z.strictObject({ name: Identifier, key: SecretText.nullable() })
export const SaveSetInput = z.strictObject({ name: Identifier, set: DeclaredSet })
export const RemoveModelsInput = z.strictObject({
  name: Identifier,
  /** Left out: the connection and the set of that name. */
  part: z.enum(['connection', 'set']).optional(),
})
