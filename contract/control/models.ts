import { z } from 'zod'
import { Identifier } from '../common.ts'
import { CatalogueModel } from '../manifests/model-catalogue.ts'
import { Connection, ConnectionKind } from '../manifests/model-connections.ts'
import { BACKEND_SETTINGS } from '../manifests/model-backends.ts'
import { ModelRecord } from '../manifests/model-record.ts'
import { DeclaredSet, ModelRole } from '../manifests/models.ts'
import { ModelPrice } from '../manifests/prices.ts'
import { ModelSetView } from './experiment.ts'
import { SecretText } from './settings.ts'

/** A connection to a model service, as a page shows it. */
export const ConnectionView = z.strictObject({
  name: Identifier,
  kind: ConnectionKind,
  /** As declared: variables of the environment still in it. */
  address: z.string(),
  /** States where its key is: in a variable, or stored on this computer. */
  key: z.enum(['none', 'environment', 'stored']),
  /** Variable that holds its key; null where none does. */
  key_env: z.string().nullable(),
  /** True when the variable has a value, or a key is stored for its address; true where none is needed. */
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

/** Describes what is tested: a connection by its name, the models of a set in their roles, one that is not saved yet, or a GGUF file on this machine. */
export const TestModelInput = z.strictObject({
  target: z.union([
    z.strictObject({ name: Identifier }),
    z.strictObject({ set: Identifier }),
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

/** Names what a test is of: a role of a set, or a place among the judges. */
export const ProbedRole = z.union([ModelRole, z.literal('judge')])
export type ProbedRole = z.infer<typeof ProbedRole>

/** Judges get these; null sends no `think`. */
export const JudgeSettings = z.strictObject({ temperature: z.number().nullable(), think: z.boolean().nullable() })
export type JudgeSettings = z.infer<typeof JudgeSettings>

const probed = {
  probe: z.enum([
    'file',
    'models',
    'chat',
    'structured',
    'extraction',
    'critic',
    'judge',
    'tools',
    'embedding',
    'rerank',
  ]),
  /** Roles that need it. */
  roles: z.array(ProbedRole),
  /**
   * `adapted`: it works, and `finding` says what is done in place of what the service refuses or ignores. `limited`: the service limits its requests, so
   * that nothing is known of this work.
   */
  status: z.enum(['passed', 'adapted', 'failed', 'unsupported', 'skipped', 'limited']),
  model: z.string().nullable(),
  latency_ms: z.number().min(0).nullable(),
  /** Number of models, tokens per second, dimensions, size, or what is done instead. */
  finding: z.string().nullable(),
  error: z.string().nullable(),
}

/** `unsupported`: it answers that it does not do this, which matters only to a role that needs it. */
export const ModelProbe = z.strictObject({ ...probed, remedy: z.string().nullable() })
export type ModelProbe = z.infer<typeof ModelProbe>

/** One kind of work as the process of a test reports it, with the code and the HTTP status of its failure, and the pause that the service asks for. */
export const ProbedWork = z.strictObject({
  ...probed,
  code: z.string().nullable(),
  http_status: z.int().nullable(),
  wait_ms: z.number().min(0).nullable(),
})
export type ProbedWork = z.infer<typeof ProbedWork>

/** Holds a `ProbeRequest` as JSON in the environment of the process that tests. */
export const PROBE_REQUEST_VARIABLE = 'RAG_LADDER_TEST_MODELS'

/** One call of a calibration; null tokens where the service does not report them. */
export const CalibrationCall = z.strictObject({
  latency_ms: z.number().min(0),
  input_tokens: z.int().min(0).nullable(),
  output_tokens: z.int().min(0).nullable(),
})
export type CalibrationCall = z.infer<typeof CalibrationCall>

/** Holds the means of three calls of a model on this machine. */
export const CalibratedModel = z.strictObject({
  model: z.string(),
  latency_ms: z.number().min(0),
  input_tokens: z.number().min(0).nullable(),
  output_tokens: z.number().min(0).nullable(),
})
export type CalibratedModel = z.infer<typeof CalibratedModel>

/** Models to test, each in its roles. */
export const ProbeRequest = z.strictObject({
  models: z.array(
    z.strictObject({ choice: z.discriminatedUnion('backend', BACKEND_SETTINGS), roles: z.array(ProbedRole).min(1) }),
  ),
  /** `calibration` makes three calls as long as a run's of each model, and tests nothing. */
  purpose: z.enum(['test', 'calibration']),
  judging: JudgeSettings,
  /** Folder in which what is learned is kept; null keeps nothing. */
  records: z.string().nullable(),
  model_cache: z.string(),
})
export type ProbeRequest = z.infer<typeof ProbeRequest>

export const ProbeReply = z.looseObject({
  probes: z.array(ProbedWork),
  records: z.array(ModelRecord),
  /** Calls of each model, in the order of the request; absent in a test. */
  calibrations: z.array(z.array(CalibrationCall)).optional(),
})
export type ProbeReply = z.infer<typeof ProbeReply>

export const ModelTest = z.strictObject({
  works: z.boolean(),
  /** Why nothing was asked: an unset variable, an address that may not get the key. */
  problems: z.array(z.string()),
  probes: z.array(ModelProbe),
  /** Everything that the service lists. */
  models: z.array(z.string()),
  /** Roles that cannot work as the set is. */
  broken: z.array(ProbedRole),
  /** Describes the models now. */
  records: z.array(ModelRecord),
})
export type ModelTest = z.infer<typeof ModelTest>

/** A model of the catalogue beside this machine. */
export const CatalogueEntry = z.strictObject({
  ...CatalogueModel.shape,
  /** True when its memory is within that of this machine; null where it is not known. */
  fits: z.boolean().nullable(),
  /** Its files are in the folder of models. */
  fetched: z.boolean(),
  /** States where its files are, or will be. */
  paths: z.array(z.string()),
  /** The file or folder as a set names it; null for a model without files here. */
  path: z.string().nullable(),
  /** Holds what has arrived of an interrupted download, and of finished files. */
  received_bytes: z.int().min(0),
  /** Model sets that name `path`. */
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
