import { z } from 'zod'
import { Identifier, versioned } from '../common.ts'
import { ModelChoice, type ModelTask } from './model-backends.ts'

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

/** The kind of work that a role's callers ask for. */
export function roleTask(role: ModelRole): ModelTask {
  if (role === 'embed' || role === 'evaluator_embed') return 'embedding'
  return role === 'rerank' ? 'rerank' : 'generation'
}

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
