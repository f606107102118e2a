// One plain sentence per approach: what it does, and what an answer of it costs. What it costs is derived from its descriptor, as plans are.
import { approachDescriptor, KEYWORD_BASELINE, type BaseApproach } from '../contract/approaches.ts'
import { listWords, plural } from '../contract/words.ts'

/** What approaches do, by alias or base; one that is served beside those of a project has its whole sentence as `about` in its descriptor. */
const WORK: Readonly<Partial<Record<BaseApproach | typeof KEYWORD_BASELINE, string>>> = {
  [KEYWORD_BASELINE]: 'keyword search alone',
  'vanilla-rag': 'finds the chunks that are nearest to the question in meaning',
  'hybrid-rag': 'searches by meaning and by keywords, and reranks what both find',
  'contextual-rag': 'searches as hybrid does, in chunks that a model has placed in the context of their document',
  'graph-rag': 'follows entities and relations that a model has extracted from the documents',
  'agentic-rag': 'lets a model search chunks and the graph, step by step, until it can answer',
  'workflow-adaptive-rag': 'chooses another approach for each question, by what the question asks for',
  'lazy-graph-rag': 'goes on from the chunks found to others that share names and terms with them',
  'no-retrieval': 'the model without any document',
  'full-context': 'the model with all documents that its window holds',
}

interface Described {
  alias: string
  base: BaseApproach
  parameters: Readonly<Record<string, unknown>>
}

/** `2 model calls, at ingestion several for the graph`; null where it is unknown. */
function costWords({ base, parameters }: Described): string | null {
  const { usualCalls, usesContextual, usesGraph } = approachDescriptor(base)
  if (usualCalls === null) return null
  const calls = Object.values(usualCalls?.(parameters) ?? { light_gen: 1 }).reduce((sum, each) => sum + each, 0)
  const ingestion = [
    ...(usesContextual === true ? ['1 for each chunk'] : []),
    ...(usesGraph === true ? ['several for the graph'] : []),
  ]
  const usually = usualCalls === undefined ? '' : 'usually '
  return `${usually}${plural(calls, 'model call')}${ingestion.length === 0 ? '' : `, at ingestion ${listWords(ingestion)}`}`
}

/** What an approach does and what it costs; undefined for one that the program does not know, such as a person's own. */
export function approachAbout(approach: Described): string | undefined {
  const { about } = approachDescriptor(approach.base)
  if (about !== undefined) return about
  const work = WORK[approach.alias as keyof typeof WORK] ?? WORK[approach.base]
  const costs = costWords(approach)
  return work === undefined || costs === null ? undefined : `${work}; ${costs}`
}
