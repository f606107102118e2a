import { z } from 'zod'
import { Identifier } from '../common.ts'
import { BACKEND_SETTINGS, MODEL_BACKENDS, type ModelChoice, type ModelTask } from './model-backends.ts'
import { ConnectedModel, connectedModel, Connection } from './model-connections.ts'

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

/** A model as a set declares it: with everything its backend needs, or by the name of a connection. */
export const DeclaredModel = z.discriminatedUnion('backend', [...BACKEND_SETTINGS, ConnectedModel], {
  error: `one of ${Object.keys(MODEL_BACKENDS).join(', ')} is required, or the name of a connection in its place`,
})

export type DeclaredModel = z.infer<typeof DeclaredModel>
export type DeclaredModelInput = z.input<typeof DeclaredModel>

/** Models of roles; those that `roles` does not name have the set's `default`. */
export const DeclaredSet = z.strictObject({
  description: z.string().default(''),
  default: DeclaredModel.optional(),
  roles: z.partialRecord(ModelRole, DeclaredModel).default({}),
})

export type DeclaredSet = z.infer<typeof DeclaredSet>
export type DeclaredSetInput = z.input<typeof DeclaredSet>

/** A set with one model for every role that writes text; embeddings by another model or, without one, by rules, as reranking is. */
export function setForAllRoles(
  description: string,
  generation: DeclaredModelInput,
  embedding: DeclaredModelInput | null,
): DeclaredSetInput {
  const embed = embedding ?? { backend: 'builtin', model: 'hashed-768' }
  const rerank = { backend: 'builtin', model: 'lexical-reranker' } as const
  return { description, default: generation, roles: { embed, evaluator_embed: embed, rerank } }
}

/** A set with a model for every role. */
export interface ModelSet {
  description: string
  roles: Record<ModelRole, ModelChoice>
}

const declared = {
  version: z.union([z.literal(1), z.literal(2)]).optional(),
  schema_version: z.literal(1).optional(),
  connections: z.record(Identifier, Connection).default({}),
}

interface Versions {
  version?: 1 | 2 | undefined
  schema_version?: 1 | undefined
  connections: Record<string, Connection>
}

const hasVersion = ({ version, schema_version: schemaVersion }: Versions): boolean =>
  (version ?? schemaVersion) !== undefined
const hasVersionOfConnections = ({ version, connections }: Versions): boolean =>
  version === 2 || Object.keys(connections).length === 0

const MISSING_VERSION = { path: ['version'], message: 'version: 2 is required' }
const OLD_VERSION = { path: ['version'], message: 'connections need version: 2' }

/** `manifests/models.yaml` as it is written: connections, and sets that name them. Version 1 has no connections. */
export const ModelsFile = z
  .strictObject({ ...declared, default_set: Identifier, sets: z.record(Identifier, DeclaredSet) })
  .refine(hasVersion, MISSING_VERSION)
  .refine(hasVersionOfConnections, OLD_VERSION)
  .refine((value) => value.default_set in value.sets, {
    path: ['default_set'],
    message: 'default_set must name one of the sets',
  })
export type ModelsFile = z.infer<typeof ModelsFile>

/** A person's own connections and sets, beside the project's and in place of those with the same name. */
export const OwnModelsFile = z
  .strictObject({
    ...declared,
    default_set: Identifier.optional(),
    sets: z.record(Identifier, DeclaredSet).default({}),
  })
  .refine(hasVersion, MISSING_VERSION)
  .refine(hasVersionOfConnections, OLD_VERSION)
export type OwnModelsFile = z.infer<typeof OwnModelsFile>

/** States where they are, relative to the project folder; never tracked. */
export const OWN_MODELS_FILE = '.rag-ladder/models.yaml'

/** Named sets of models, one chosen per platform start. Configurations are hashed in this form, which version 1 had as a file. */
export interface ModelsManifest {
  version?: 1
  schema_version?: 1
  default_set: string
  sets: Record<string, ModelSet>
}

interface SetProblem {
  path: string[]
  message: string
}

/** Describes what both files mean together. */
interface JoinedModels {
  models: ModelsManifest
  /** The same sets as they are written. */
  declaredSets: Record<string, DeclaredSet>
  connections: Record<string, Connection>
  /** Names of the sets and connections that a person's own file declares. */
  ownSets: string[]
  ownConnections: string[]
  problems: { ofProject: SetProblem[]; ofPerson: SetProblem[] }
}

/** Joins the project's file with a person's own, and replaces each connection by what it means. */
export function joinModels(project: ModelsFile, own: OwnModelsFile | null): JoinedModels {
  const connections = { ...project.connections, ...own?.connections }
  const ofProject: SetProblem[] = []
  const ofPerson: SetProblem[] = []
  const sets = {
    ...resolveSets(project.sets, connections, ofProject),
    ...resolveSets(own?.sets ?? {}, connections, ofPerson),
  }
  const wanted = own?.default_set
  if (wanted !== undefined && !Object.hasOwn(sets, wanted))
    ofPerson.push({
      path: ['default_set'],
      message: `no set is named ${wanted}; there are ${Object.keys(sets).join(', ')}`,
    })
  const { schema_version: schemaVersion } = project
  const models: ModelsManifest = {
    ...(schemaVersion === undefined ? {} : { schema_version: schemaVersion }),
    ...(project.version === undefined ? {} : { version: 1 }),
    default_set: wanted ?? project.default_set,
    sets,
  }
  return {
    models,
    declaredSets: { ...project.sets, ...own?.sets },
    connections,
    ownSets: Object.keys(own?.sets ?? {}),
    ownConnections: Object.keys(own?.connections ?? {}),
    problems: { ofProject, ofPerson },
  }
}

function resolveSets(
  sets: ModelsFile['sets'],
  connections: Readonly<Record<string, Connection>>,
  problems: SetProblem[],
): Record<string, ModelSet> {
  const resolved = Object.entries(sets).map(([name, { description, default: usual, roles }]) => {
    const complete = ModelRole.options.map((role) => {
      const named = roles[role]
      const path = ['sets', name, ...(named === undefined && usual !== undefined ? ['default'] : ['roles', role])]
      const model = named ?? usual
      if (model === undefined) {
        problems.push({ path, message: 'missing: name a model, or give the set a default' })
        return [role, undefined] as const
      }
      if (model.backend !== undefined) return [role, model] as const
      const connection = Object.hasOwn(connections, model.connection) ? connections[model.connection] : undefined
      if (connection !== undefined) return [role, connectedModel(connection, model, roleTask(role))] as const
      const known = Object.keys(connections)
      const message = `no connection is named ${model.connection}; ${known.length === 0 ? 'none is declared' : `there are ${known.join(', ')}`}`
      const place = [...path, 'connection']
      if (!problems.some((problem) => problem.path.join('.') === place.join('.')))
        problems.push({ path: place, message })
      return [role, undefined] as const
    })
    return [name, { description, roles: Object.fromEntries(complete) as Record<ModelRole, ModelChoice> }] as const
  })
  return Object.fromEntries(resolved)
}

/** The project's file alone, as sets with a model for every role. */
export const ModelsManifest = ModelsFile.transform((file, context) => {
  const { models, problems } = joinModels(file, null)
  for (const { path, message } of problems.ofProject) context.addIssue({ code: 'custom', path, message })
  return models
})

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
