import { ModelRole, type EvaluateRequest } from '../../../contract/index.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { ChatRole, EmbeddingRole, ModelHost } from '../models/model-host.ts'
import { unknownModel } from './evaluation-faults.ts'

/** The roles whose models judge and embed; no embedding role when no requested metric needs one. */
export interface EvaluationModels {
  critic: ChatRole
  embedding: EmbeddingRole | null
}

const EMBEDDING_ROLES: readonly EmbeddingRole[] = ['evaluator_embed', 'embed']

const isChatRole = (role: ModelRole): role is ChatRole => !['embed', 'evaluator_embed', 'rerank'].includes(role)

/** The evaluator first, then every role that another chat model serves; rule-based ones do only their own job. */
function criticRoles(models: ModelHost): ChatRole[] {
  const others = ModelRole.options.filter(isChatRole).filter((role) => role !== 'evaluator' && !models.isBuiltin(role))
  return ['evaluator', ...others]
}

function pick<Role extends ModelRole>(models: ModelHost, roles: readonly Role[], wanted: string | null): Role {
  const configured = models.resolved().roles
  const known = roles.filter((role) => role in configured)
  const role = wanted === null ? known[0] : known.find((candidate) => models.modelName(candidate) === wanted)
  if (role === undefined) throw unknownModel()
  return role
}

/** Which models a request is judged by. Throws 400 when none is configured or an override names none of this platform's. */
export function chooseModels(models: ModelHost, request: EvaluateRequest): EvaluationModels {
  const configured = models.resolved().roles
  if (!('evaluator' in configured)) throw new HttpError(400, 'No evaluator model is configured')
  const critic = pick(models, criticRoles(models), request.evaluator_model)
  if (!request.metrics.includes('answer_relevancy')) return { critic, embedding: null }
  if (!EMBEDDING_ROLES.some((role) => role in configured))
    throw new HttpError(400, 'answer_relevancy needs an embedding model, and none is configured')
  return { critic, embedding: pick(models, EMBEDDING_ROLES, request.embeddings_model) }
}
