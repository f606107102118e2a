import { approachDescriptor, type BaseApproach } from '../../../../contract/approaches.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import type { Flavor } from '../../../../contract/manifests/flavors.ts'
import type { AliasAvailability } from '../../gateway/alias-backend.ts'
import type { ModelHost } from '../../models/model-host.ts'
import type { ApproachAnswer, ApproachEntry, ApproachServices, Engines, ProfileCollections } from '../approach.ts'
import { RagError } from '../rag-error.ts'
import { requireCollection } from '../steps/collection.ts'
import { agentic } from './agentic.ts'
import { contextual } from './contextual.ts'
import { graph } from './graph.ts'
import { hybrid } from './hybrid.ts'
import { hyde } from './hyde.ts'
import { multiQuery } from './multi-query.ts'
import { fullContext } from './full-context.ts'
import { lazyGraph } from './lazy-graph.ts'
import { noRetrieval } from './no-retrieval.ts'
import { ownApproach } from './own-approach.ts'
import { raptor } from './raptor.ts'
import { vanilla } from './vanilla.ts'
import { workflowAdaptive } from './workflow-adaptive.ts'

/** Defines how each approach of `contract/approaches.ts` answers. A new one is one file and one line here. */
const APPROACHES: { [Base in BaseApproach]: ApproachEntry<Base> } = {
  'vanilla-rag': { answer: vanilla, reads: ['plain'] },
  'hybrid-rag': { answer: hybrid, reads: ['plain'] },
  'contextual-rag': { answer: contextual, reads: ['contextual'] },
  'graph-rag': { answer: graph, reads: ['graph', 'plain'] },
  'agentic-rag': { answer: agentic, reads: ['plain'] },
  'workflow-adaptive-rag': { answer: workflowAdaptive, reads: ['plain'] },
  'lazy-graph-rag': { answer: lazyGraph, reads: ['plain'] },
  'hyde-rag': { answer: hyde, reads: ['plain'] },
  'multi-query-rag': { answer: multiQuery, reads: ['plain'] },
  'raptor-rag': { answer: raptor, reads: ['tree'] },
  'no-retrieval': { answer: noRetrieval, reads: [] },
  'full-context': { answer: fullContext, reads: ['plain'] },
  'own-approach': { answer: ownApproach, reads: [] },
}

/** Describes what an approach's availability depends on. */
export interface PlatformData extends Pick<ApproachServices, 'store' | 'models'> {
  engines: Engines
  active: ProfileCollections
}

/** Returns true when a call would be answered now: its models are there, and what it reads has been ingested. */
export async function availabilityOf(
  { alias, base }: Pick<Flavor, 'alias' | 'base'>,
  data: PlatformData,
): Promise<AliasAvailability> {
  const { engines, active } = data
  const missing = missingModel(base, data.models) ?? (base === 'own-approach' ? engines.own.problem(alias) : null)
  if (missing !== null) return { available: false, reason: missing }
  try {
    for (const kind of APPROACHES[base].reads) {
      if (kind === 'graph') engines.graph.requireDocuments?.()
      else await requireCollection(kind, { ...data, collections: active })
    }
    return { available: true, reason: null }
  } catch (error) {
    if (error instanceof RagError) return { available: false, reason: error.message, needs_ingestion: true }
    throw error
  }
}

/** Rules write nothing that a passage does not hold already: an approach that searches by what a model writes has no meaning with them. */
function missingModel(base: BaseApproach, models: Pick<ModelHost, 'isBuiltin'>): string | null {
  const roles = (approachDescriptor(base).languageModels ?? []) as readonly ModelRole[]
  const ruled = roles.filter((role) => models.isBuiltin(role))
  return ruled.length === 0 ? null : `it needs a language model for ${ruled.join(' and ')}, where rules are chosen`
}

/** A flavor's approach with its parameters filled in. Throws when this platform lacks a language model that it needs. */
export function approachOf(
  flavor: Flavor,
  models: Pick<ModelHost, 'isBuiltin'>,
): (question: string, services: Omit<ApproachServices, 'alias'>, signal?: AbortSignal) => Promise<ApproachAnswer> {
  const reason = missingModel(flavor.base, models)
  if (reason !== null) throw new RagError('approach_unavailable', `${flavor.alias} is not available: ${reason}`)
  // The table pairs each base with its own parameters; the compiler cannot follow that through a lookup.
  const { answer } = APPROACHES[flavor.base] as { answer: unknown }
  const run = answer as (...call: [string, object, ApproachServices, AbortSignal?]) => Promise<ApproachAnswer>
  const { instructions, answer_prompt: prompt } = flavor.parameters as { instructions?: string; answer_prompt?: string }
  const promptChanges = { instructions, prompt }
  return (question, services, signal) =>
    run(question, flavor.parameters, { ...services, alias: flavor.alias, promptChanges }, signal)
}
