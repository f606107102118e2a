import type { BaseApproach, Flavor } from '../../../../contract/index.ts'
import type { ApproachAnswer, ApproachEntry, ApproachServices, OptionalEngines } from '../approach.ts'
import { RagError } from '../rag-error.ts'
import { agentic } from './agentic.ts'
import { contextual } from './contextual.ts'
import { graph } from './graph.ts'
import { hybrid } from './hybrid.ts'
import { lazyGraph } from './lazy-graph.ts'
import { vanilla } from './vanilla.ts'
import { workflowAdaptive } from './workflow-adaptive.ts'

/** Every base approach. A new one is one file and one line here. */
const APPROACHES: { [Base in BaseApproach]: ApproachEntry<Base> } = {
  'vanilla-rag': { answer: vanilla, needs: [] },
  'hybrid-rag': { answer: hybrid, needs: [] },
  'contextual-rag': { answer: contextual, needs: [] },
  'graph-rag': { answer: graph, needs: ['graph'] },
  'agentic-rag': { answer: agentic, needs: ['graph'] },
  'workflow-adaptive-rag': { answer: workflowAdaptive, needs: ['workflow'] },
  'lazy-graph-rag': { answer: lazyGraph, needs: [] },
}

const ABSENT = { graph: 'no graph engine is configured', workflow: 'no workflow engine is configured' } as const

/** Whether an approach can answer on this platform. */
export interface Availability {
  available: boolean
  /** Null when available. */
  reason: string | null
}

export function availabilityOf(base: BaseApproach, engines: OptionalEngines): Availability {
  const missing = APPROACHES[base].needs.find((engine) => engines[engine] === null)
  return missing === undefined ? { available: true, reason: null } : { available: false, reason: ABSENT[missing] }
}

/** A flavor's approach with its parameters filled in. Throws when this platform lacks an engine that it needs. */
export function approachOf(
  flavor: Flavor,
  engines: OptionalEngines,
): (question: string, services: ApproachServices, signal?: AbortSignal) => Promise<ApproachAnswer> {
  const { reason } = availabilityOf(flavor.base, engines)
  if (reason !== null) throw new RagError('approach_unavailable', `${flavor.alias} is not available: ${reason}`)
  // The table pairs each base with its own parameters; the compiler cannot follow that through a lookup.
  const { answer } = APPROACHES[flavor.base] as { answer: unknown }
  const run = answer as (...call: [string, object, ApproachServices, AbortSignal?]) => Promise<ApproachAnswer>
  return (question, services, signal) => run(question, flavor.parameters, services, signal)
}
