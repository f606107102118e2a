// `manifests/model-catalogue.yaml`: open models by job, where they come from and what they need.
import { z } from 'zod'
import { Identifier } from '../common.ts'
import { SERVICE_NAMES } from '../control/service-list.ts'
import { LOCAL_BACKENDS } from './model-backends.ts'

export const ModelJob = z.enum([
  'small-language-model',
  'middle-language-model',
  'large-language-model',
  'embedding',
  'reranker',
  'recognizer',
  'voice',
  'table',
  'ocr',
])
export type ModelJob = z.infer<typeof ModelJob>

/** Encrypted, or from this machine. */
const FileAddress = z.string().regex(/^(?:https:\/\/|http:\/\/127\.0\.0\.1[:/])\S+$/, 'an https address')

const CatalogueFile = z.strictObject({
  /** Place in the folder of models: a .gguf file, or a file in the folder of its model. */
  path: z
    .string()
    .regex(
      /^(?:[\w][\w.@+-]*\.gguf|[\w][\w.@+-]*(?:\/[\w][\w.@+-]*)*\/[\w][\w.@+-]*\.(?:onnx|json))$/,
      'the name of a .gguf file, or FOLDER/…/NAME with the ending .onnx or .json',
    ),
  url: FileAddress,
  size_bytes: z.int().min(1),
  /** Null: not known, so that the file is not fetched. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
})
export type CatalogueFile = z.infer<typeof CatalogueFile>

export const CatalogueModel = z.strictObject({
  id: Identifier,
  job: ModelJob,
  /** Holds what runs it: a backend of a model set, or a service beside the platform, with the name that it knows the model by. */
  run_by: z.union([
    z.strictObject({ backend: z.enum(LOCAL_BACKENDS), model: z.string().min(1).optional() }),
    z.strictObject({ service: z.enum(SERVICE_NAMES), model: z.string().min(1) }),
  ]),
  source_page: z.url(),
  /** SPDX identifier. */
  license: z.string().min(1),
  languages: z.array(z.string().min(2)).min(1),
  /** Longest text in tokens; null where that is not how it works. */
  context: z.int().min(1).nullable().default(null),
  /** While it runs; null: not measured and not calculated. */
  memory_mib: z.int().min(1).nullable().default(null),
  /** Never run here on its real weights: it may fail, or answer wrongly. `docs/real-models.md` lists what was run. */
  experimental: z.boolean().default(false),
  /** Holds what `models fetch` downloads; empty where something else fetches it. */
  files: z.array(CatalogueFile).default([]),
})
export type CatalogueModel = z.infer<typeof CatalogueModel>

/** The step from built-in rules to vectors of a model, as Home and New run offer it: a set of `manifests/models.yaml` and the model that it needs. */
export const LOCAL_EMBEDDINGS = { set: 'local-embeddings', model: 'all-minilm-l6-v2' } as const

export const ModelCatalogue = z
  .strictObject({ version: z.literal(1), models: z.array(CatalogueModel) })
  .refine(({ models }) => new Set(models.map(({ id }) => id)).size === models.length, {
    path: ['models'],
    message: 'two models have the same id: give each its own',
  })
export type ModelCatalogue = z.infer<typeof ModelCatalogue>
