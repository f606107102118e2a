import { isCloudModel, isRemoteModel, isRuleBased, modelNameOf } from '../../../contract/manifests/model-backends.ts'
import { costOf, type Prices } from '../../../contract/manifests/prices.ts'
import { resolveModel } from '../../../core/select-models.ts'
import type { DraftPlan } from '../../../contract/control/drafted-questions.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { expectedTokens, type DraftWork } from './draft-questions.ts'

/** The role whose model drafts questions: the one that writes answers. */
const ROLE = 'light_gen'

/** Describes what is known of the model before it is asked. */
export interface DraftingModel {
  model: string | null
  set: string | null
  rules: boolean
  leavesMachine: boolean
  cloud: boolean
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** The model of a set's role; `elsewhere`: the platform is another program's, whose models are its own. */
export function draftingModel(
  { models }: Pick<Experiment, 'models'>,
  modelSet: string | null,
  env: Readonly<Record<string, string | undefined>>,
  elsewhere: boolean,
): DraftingModel {
  if (elsewhere) return { model: null, set: null, rules: false, leavesMachine: true, cloud: false }
  const set = modelSet ?? models.default_set
  const declared = models.sets[set]?.roles[ROLE]
  if (declared === undefined) return { model: null, set, rules: false, leavesMachine: true, cloud: false }
  const { choice } = resolveModel(ROLE, declared, env)
  const cloud = isCloudModel(choice)
  const isOther = isRemoteModel(choice) && !isOfThisMachine(choice.base_url)
  return { model: modelNameOf(choice), set, rules: isRuleBased(choice.backend), leavesMachine: cloud || isOther, cloud }
}

/** An address that cannot be read counts as another machine's. */
const isOfThisMachine = (address: string): boolean => URL.canParse(address) && LOOPBACK.test(new URL(address).hostname)

/** Returns what a person is shown before anything is sent. */
export function draftPlan({ calls, documents, unread }: DraftWork, model: DraftingModel, prices: Prices): DraftPlan {
  const tokens = expectedTokens(calls)
  const usage = { model: model.model, cloud: model.cloud, calls: calls.length, unreported: 0, ...tokens }
  return {
    calls: calls.length,
    documents,
    unread_documents: unread,
    model: model.model,
    model_set: model.set,
    rules: model.rules,
    leaves_machine: model.leavesMachine,
    ...tokens,
    cost: model.cloud || model.model === null ? costOf([usage], prices) : null,
  }
}
