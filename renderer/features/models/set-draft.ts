import { canonicalJson } from '../../../core/canonical-json.ts'
import type { ConnectionView } from '../../../contract/control/models.ts'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { connectionKind } from '../../../contract/manifests/model-connections.ts'
import {
  canDo,
  isCloudModel,
  isRuleBased,
  LOCAL_BACKENDS,
  localModel,
  type Backend,
  type ModelTask,
} from '../../../contract/manifests/model-backends.ts'
import {
  ModelRole,
  roleTask,
  type DeclaredModel,
  type DeclaredModelInput,
  type DeclaredSetInput,
} from '../../../contract/manifests/models.ts'

/** Describes where a model of a set comes from: `connection:NAME`, or a backend of the program itself. */
export type Source = `connection:${string}` | Backend

export interface Choice {
  source: Source
  /** Empty for rules, which each role has of its own. */
  model: string
  /** The model of an edited set as it is written: settings that the form does not show stay as long as the source does. */
  declared?: DeclaredModel
}

/** A set as it is being put together. */
export interface SetDraft {
  name: string
  text: Choice | null
  embedding: Choice
  rerank: Choice
  /** True when roles have models of their own; `roles` counts only then. */
  isPerRole: boolean
  /** Roles that differ from the three above. */
  roles: Partial<Record<ModelRole, Choice>>
  /** The saved set that is being edited. */
  edited: ModelSetView | null
}

export const RULES: Choice = { source: 'builtin', model: '' }

export const EMPTY_DRAFT: SetDraft = {
  name: '',
  text: null,
  embedding: RULES,
  rerank: RULES,
  isPerRole: false,
  roles: {},
  edited: null,
}

/** A draft of a saved set. */
export function draftOfSet(set: ModelSetView, sets: readonly ModelSetView[]): SetDraft {
  const { default: usual, roles } = set.declared
  const draft = {
    ...EMPTY_DRAFT,
    name: set.name,
    text: choiceOfTask(usual ?? roles.light_gen),
    embedding: choiceOfTask(roles.embed ?? usual) ?? RULES,
    rerank: choiceOfTask(roles.rerank ?? usual) ?? RULES,
    edited: set,
  }
  const own = ModelRole.options.flatMap((role) => {
    const model = roles[role] ?? usual
    const choice = choiceOf(draft, role)
    if (model === undefined || (choice !== null && isSame(modelOf(choice, role, sets), model))) return []
    return [[role, choiceOfModel(model)] as const]
  })
  return { ...draft, isPerRole: own.length > 0, roles: Object.fromEntries(own) }
}

const choiceOfModel = (declared: DeclaredModel): Choice =>
  declared.backend === undefined
    ? { source: `connection:${declared.connection}`, model: declared.model, declared }
    : { source: declared.backend, model: isRuleBased(declared.backend) ? '' : declared.model, declared }

/** The choice for all roles of a task; rules are other ones in each of them. */
function choiceOfTask(model: DeclaredModel | undefined): Choice | null {
  if (model === undefined) return null
  return model.backend !== undefined && isRuleBased(model.backend) ? RULES : choiceOfModel(model)
}

/** The draft with a model for all roles of a task, or for one role. */
export function withChoice(draft: SetDraft, use: ModelTask | ModelRole, choice: Choice): SetDraft {
  if (use === 'generation') return { ...draft, text: choice }
  if (use === 'embedding') return { ...draft, embedding: choice }
  // Reranking is the work of one role, which the draft names.
  if (use === 'rerank') return { ...draft, rerank: choice }
  return { ...draft, isPerRole: true, roles: { ...(draft.isPerRole ? draft.roles : {}), [use]: choice } }
}

/** Returns what a task can be done by; what a set declares in its file is among it where `chosen` is that. */
export function sourcesOf(
  task: ModelTask,
  connections: readonly ConnectionView[],
  chosen: Source | null = null,
): Source[] {
  const services = connections
    .filter(({ kind }) => task !== 'rerank' && (task !== 'embedding' || connectionKind(kind).hasEmbeddings))
    .map(({ name }): Source => `connection:${name}`)
  const listed = [...services, ...LOCAL_BACKENDS.filter((backend) => canDo(backend, task))]
  return chosen === null || listed.includes(chosen) ? listed : [...listed, chosen]
}

export const connectionOf = (source: Source): string | null =>
  source.startsWith('connection:') ? source.slice('connection:'.length) : null

const isComplete = ({ source, model }: Choice): boolean => isRuleBased(source) || model.trim() !== ''

const isSame = (a: DeclaredModelInput | null, b: DeclaredModelInput): boolean => canonicalJson(a) === canonicalJson(b)

/** True when a draft is as its set was read. */
export const isUnchanged = (draft: SetDraft, sets: readonly ModelSetView[]): boolean =>
  draft.edited !== null && canonicalJson(draft) === canonicalJson(draftOfSet(draft.edited, sets))

/** The choice of a role, its own or that of its task. */
export function choiceOf(draft: SetDraft, role: ModelRole): Choice | null {
  const own = draft.roles[role]
  if (own !== undefined) return own
  const task = roleTask(role)
  return task === 'generation' ? draft.text : draft[task]
}

/** The roles of a draft that have a model, with whether its calls leave this machine. */
export function draftedRoles(draft: SetDraft, connections: readonly ConnectionView[]): ModelSetView['roles'] {
  const clouds = new Set(connections.filter(({ cloud }) => cloud).map(({ name }) => name))
  return Object.fromEntries(
    ModelRole.options.flatMap((role) => {
      const choice = choiceOf(draft, role)
      if (choice === null) return []
      const { source, model, declared } = choice
      const isPaid = declared?.backend !== undefined && isCloudModel(declared)
      const cloud = isPaid || clouds.has(connectionOf(source) ?? '')
      return [[role, { backend: source, model, cloud, known: [], learned_at: null }]]
    }),
  )
}

/** The rules that a role has, as the sets of the project name them; null where none does. */
function rulesOf(role: ModelRole, sets: readonly ModelSetView[]): DeclaredModelInput | null {
  const found = sets.map(({ roles }) => roles[role]).find((model) => model !== undefined && isRuleBased(model.backend))
  return found === undefined ? null : { backend: RULES.source as 'builtin', model: found.model }
}

function modelOf(
  { source, model, declared }: Choice,
  role: ModelRole,
  sets: readonly ModelSetView[],
): DeclaredModelInput | null {
  if (isRuleBased(source)) return declared ?? rulesOf(role, sets)
  if (declared !== undefined) return { ...declared, model: model.trim() }
  const connection = connectionOf(source)
  if (connection !== null) return { connection, model: model.trim() }
  return localModel(source as Backend, model.trim(), roleTask(role)) as DeclaredModelInput
}

/** The set of a draft, as short as it can be written; null while a model is missing. */
export function setOf(draft: SetDraft, sets: readonly ModelSetView[]): DeclaredSetInput | null {
  const { text, edited } = draft
  if (text === null || !isComplete(text)) return null
  const usual = isRuleBased(text.source) ? null : modelOf(text, 'light_gen', sets)
  const roles: Partial<Record<ModelRole, DeclaredModelInput>> = {}
  for (const role of ModelRole.options) {
    const choice = choiceOf(draft, role)
    if (choice === null || !isComplete(choice)) return null
    const model = modelOf(choice, role, sets)
    if (model === null) return null
    if (usual !== null && roleTask(role) === 'generation' && isSame(model, usual)) continue
    roles[role] = model
  }
  const description = edited?.declared.description ?? ''
  return { ...(description === '' ? {} : { description }), ...(usual === null ? {} : { default: usual }), roles }
}

/** The letters of a text that a name can have; others become hyphens. */
export const identifierOf = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 60)

/** A name that is not taken: `base`, or `base` with the first free number from 2. Empty where `base` is. */
export function freeName(base: string, taken: readonly string[]): string {
  if (base === '' || !taken.includes(base)) return base
  let number = 2
  while (taken.includes(`${base}-${number}`)) number += 1
  return `${base}-${number}`
}

/** A free name for a set, after the model that it is made of: a person who wants no other has none to think of. */
export function suggestedName({ model }: Choice, sets: readonly Pick<ModelSetView, 'name'>[]): string {
  const [last = ''] = model.split(/[\\/]/).slice(-1)
  return freeName(
    identifierOf(last.replace(/\.gguf$/i, '')),
    sets.map(({ name }) => name),
  )
}
