import type { RowEvidence } from '../../../contract/evidence/canonical-row.ts'

type Metadata = NonNullable<RowEvidence['approach_metadata']>
type Json = Metadata[string]

/** One tool call of an agent; null where the gateway does not report it. */
export interface PathStep {
  step: number | null
  tool: string
  argumentsText: string
  result: [string, number][]
  error: string | null
  seconds: number | null
}

/** Describes how a lazy graph spent its budget of relevance tests. */
export interface PathBudget {
  tests: number
  budget: number
  figures: [string, string | number][]
  bridges: { to: string; from: string | null; via: string }[]
}

/** Describes how an approach found its answer, as far as it reports it; `rest` is what this page has no view for. */
export interface ApproachPath {
  route: { route: string; approach: string } | null
  steps: PathStep[] | null
  budget: PathBudget | null
  graph: [string, string | number][] | null
  rest: Record<string, Json>
}

const objectOf = (value: Json | undefined): Record<string, Json> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
const numberOf = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null)
const figuresOf = (part: Record<string, Json>, leaveOut: readonly string[] = []): [string, string | number][] =>
  Object.entries(part)
    .filter(([name]) => !leaveOut.includes(name))
    .map(([name, value]) => [
      name.replaceAll('_', ' '),
      value === null ? 'unknown' : typeof value === 'number' ? value : textOf(value),
    ])

function stepOf(value: Json): PathStep {
  const part = objectOf(value) ?? {}
  const result = objectOf(part.result)
  return {
    step: numberOf(part.step),
    tool: textOf(part.tool) || 'unnamed tool',
    argumentsText: textOf(part.arguments),
    result: Object.entries(result ?? {}).flatMap(([name, count]) =>
      typeof count === 'number' ? [[name.replaceAll('_', ' '), count] as [string, number]] : [],
    ),
    error: typeof part.error === 'string' ? part.error : null,
    seconds: numberOf(part.seconds),
  }
}

const placeOf = (part: Record<string, Json> | null): string | null =>
  part === null || typeof part.document !== 'string'
    ? null
    : `${part.document}${typeof part.chunk_index === 'number' ? ` · chunk ${part.chunk_index}` : ''}`

/** Members that a lazy graph adds at the top of the metadata. */
const LAZY_MEMBERS = [
  'experimental',
  'cache_hit',
  'index_seconds',
  'graph_chunks',
  'graph_concepts',
  'graph_edges',
  'relevance_tests',
  'relevance_budget',
  'seed_k',
  'max_context_chunks',
  'llm_index_calls',
  'cache_namespace',
  'bridges',
]

function budgetOf(metadata: Metadata): PathBudget | null {
  const [tests, budget] = [numberOf(metadata.relevance_tests), numberOf(metadata.relevance_budget)]
  if (tests === null || budget === null) return null
  const reported = Object.fromEntries(Object.entries(metadata).filter(([name]) => LAZY_MEMBERS.includes(name)))
  return {
    tests,
    budget,
    figures: figuresOf(reported, ['relevance_tests', 'relevance_budget', 'bridges', 'experimental']),
    bridges: (Array.isArray(metadata.bridges) ? metadata.bridges : []).map((bridge) => {
      const part = objectOf(bridge) ?? {}
      return {
        to: placeOf(part) ?? 'unknown',
        from: placeOf(objectOf(part.from)),
        via: textOf(part.via),
      }
    }),
  }
}

/** Reads what an approach reports. Its form is not trusted: what does not fit stays in `rest`. */
export function approachPath(metadata: Metadata): ApproachPath {
  const adaptive = objectOf(metadata.adaptive)
  const graph = objectOf(metadata.graph)
  const steps = Array.isArray(metadata.trajectory) ? metadata.trajectory.map(stepOf) : null
  const budget = budgetOf(metadata)
  const shown = [
    ...(adaptive === null ? [] : ['adaptive']),
    ...(graph === null ? [] : ['graph']),
    ...(steps === null ? [] : ['trajectory']),
    ...(budget === null ? [] : LAZY_MEMBERS),
  ]
  return {
    route:
      adaptive === null
        ? null
        : {
            route: textOf(adaptive.route),
            approach: textOf(adaptive.approach),
          },
    steps,
    budget,
    graph: graph === null ? null : figuresOf(graph),
    rest: Object.fromEntries(Object.entries(metadata).filter(([name]) => !shown.includes(name))),
  }
}
