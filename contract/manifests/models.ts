import { z } from 'zod'
import { Identifier, versioned } from '../common.ts'

/** Every job that a model does inside the platform. */
export const ModelRole = z.enum([
  'embed',
  'rerank',
  'light_gen',
  'contextual_blurb',
  'agentic',
  'graph_extract',
  'graph_keyword',
  'graph_query',
  'workflow_classifier',
  'evaluator',
  'evaluator_embed',
])
export type ModelRole = z.infer<typeof ModelRole>

const secretName = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable, never the secret itself')

export const BuiltinModel = z.strictObject({ backend: z.literal('builtin'), model: Identifier })
export const OnnxModel = z.strictObject({
  backend: z.literal('onnx'),
  /** A folder with the weights, or a hub id that is fetched into the cache at first use. */
  model: z.string().min(1),
  task: z.enum(['embedding', 'rerank', 'generation']),
  dtype: z.enum(['fp32', 'fp16', 'q8', 'q4']).default('q8'),
  /** Texts such as "query: " that some embedding models want in front of each side. */
  query_prefix: z.string().default(''),
  document_prefix: z.string().default(''),
  max_new_tokens: z.int().min(1).max(8192).default(512),
})
export const OpenAiModel = z.strictObject({
  backend: z.literal('openai'),
  model: z.string().min(1),
  base_url: z.string().min(1),
  api_key_env: secretName.nullable().default(null),
  timeout_s: z.number().positive().max(3600).default(120),
  retries: z.int().min(0).max(10).default(2),
  /** True when calls leave this machine and are paid for: counted as cloud calls. */
  cloud: z.boolean().default(false),
  /** Request fields added to each call of this model, such as a disabled thinking mode. */
  defaults: z.record(z.string(), z.json()).default({}),
})
/** TEI's reranking service by address; only for the `rerank` role. */
export const TeiModel = z.strictObject({
  backend: z.literal('tei'),
  model: z.string().min(1),
  base_url: z.string().min(1),
  api_key_env: secretName.nullable().default(null),
  timeout_s: z.number().positive().max(3600).default(30),
})
export const ModelChoice = z.discriminatedUnion('backend', [BuiltinModel, OnnxModel, OpenAiModel, TeiModel])
export type ModelChoice = z.infer<typeof ModelChoice>
export type BuiltinModel = z.infer<typeof BuiltinModel>
export type OnnxModel = z.infer<typeof OnnxModel>
export type OpenAiModel = z.infer<typeof OpenAiModel>
export type TeiModel = z.infer<typeof TeiModel>

/** A model for every role: those that `roles` does not name have the set's `default`. */
export const ModelSet = z
  .strictObject({
    description: z.string(),
    default: ModelChoice.optional(),
    roles: z.partialRecord(ModelRole, ModelChoice).default({}),
  })
  .transform(({ description, default: usual, roles }, context) => {
    for (const role of ModelRole.options)
      if (roles[role] === undefined && usual === undefined)
        context.addIssue({
          code: 'custom',
          path: ['roles', role],
          message: 'missing: name a model, or give the set a default',
        })
    const complete = ModelRole.options.map((role) => [role, roles[role] ?? usual])
    return { description, roles: Object.fromEntries(complete) as Record<ModelRole, ModelChoice> }
  })
export type ModelSet = z.infer<typeof ModelSet>

/** `manifests/models.yaml`: named sets of models, one chosen per platform start. */
export const ModelsManifest = versioned({
  default_set: Identifier,
  sets: z.record(Identifier, ModelSet),
}).refine((value) => value.default_set in value.sets, {
  path: ['default_set'],
  message: 'default_set must name one of the sets',
})
export type ModelsManifest = z.infer<typeof ModelsManifest>

type Filled = { ok: true; value: string } | { ok: false; unset: string[] }

/** Replaces `${NAME}` and `${NAME:-default}`; an empty variable counts as unset, as in a shell. */
export function fillPlaceholders(text: string, env: Readonly<Record<string, string | undefined>>): Filled {
  const unset: string[] = []
  const value = text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_match, name: string, fallback?: string) => {
      const given = env[name] ?? ''
      if (given !== '') return given
      if (fallback === undefined) unset.push(name)
      return fallback ?? ''
    },
  )
  return unset.length === 0 ? { ok: true, value } : { ok: false, unset }
}
