import { ModelRole } from '../../../contract/index.ts'
import type { AliasDeclaration } from '../../../contract/index.ts'
import { HttpError } from '../../kit/http-error.ts'
import { roleTask } from '../models/model-backend.ts'
import type { ChatRole, EmbeddingRole, ModelHost } from '../models/model-host.ts'

/** What a model id of a request stands for. */
export type ModelTarget = { kind: 'alias'; alias: string } | { kind: 'role'; role: ModelRole }

/** Every id that the gateway answers to: aliases, then roles, then the names of the models behind the roles. */
export interface ModelDirectory {
  readonly aliases: readonly string[]
  /** Ids of roles and models, in the order of the roles. */
  readonly modelIds: readonly string[]
  chatTarget(model: string): { kind: 'alias'; alias: string } | { kind: 'role'; role: ChatRole }
  embeddingRole(model: string): EmbeddingRole
}

/** The directory of one start; lookups throw a 400 `HttpError` for ids that nothing or the wrong kind of model stands behind. */
export function createModelDirectory(declared: readonly AliasDeclaration[], host: ModelHost): ModelDirectory {
  const targets = new Map<string, ModelTarget>(declared.map(({ alias }) => [alias, { kind: 'alias', alias }]))
  const modelIds = [...ModelRole.options, ...ModelRole.options.map((role) => host.modelName(role))]
  for (const role of ModelRole.options) addOnce(targets, role, { kind: 'role', role })
  for (const role of ModelRole.options) addOnce(targets, host.modelName(role), { kind: 'role', role })

  const find = (model: string): ModelTarget => {
    const target = targets.get(model)
    if (target !== undefined) return target
    throw new HttpError(400, `There is no model "${model}"; GET /v1/models?all=true lists what there is`, {
      code: 'model_not_found',
      param: 'model',
    })
  }
  return {
    aliases: declared.map(({ alias }) => alias),
    modelIds: [...new Set(modelIds)],
    chatTarget(model) {
      const target = find(model)
      if (target.kind === 'alias') return target
      if (roleTask(target.role) !== 'generation') throw wrongKind(model, 'chat')
      return { kind: 'role', role: target.role as ChatRole }
    },
    embeddingRole(model) {
      const target = find(model)
      if (target.kind === 'alias' || roleTask(target.role) !== 'embedding') throw wrongKind(model, 'embeddings')
      return target.role as EmbeddingRole
    },
  }
}

function addOnce(targets: Map<string, ModelTarget>, id: string, target: ModelTarget): void {
  if (!targets.has(id)) targets.set(id, target)
}

function wrongKind(model: string, use: string): HttpError {
  return new HttpError(400, `The model "${model}" cannot be used for ${use}`, {
    code: 'model_not_suitable',
    param: 'model',
  })
}
