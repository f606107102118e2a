// States where the adaptive workflow sends each kind of question, and what that was decided by. `manifests/workflows/adaptive-rag.json` carries it out.
import type { BaseApproach } from './approaches.ts'

export interface RoutingEntry {
  route: string
  approach: BaseApproach
  evidence: string
}

const SINGLE = 'not decided by a measurement of its own'

export const ROUTING: readonly RoutingEntry[] = [
  {
    route: 'single-fact',
    approach: 'hybrid-rag',
    evidence:
      'gold documents in the first five on all questions of six unseen sets: hybrid .95, .96, .50, .63, .84, .51, vanilla .88, .94, .45, .57, .79, .40; the questions that are sent here were not measured apart',
  },
  {
    route: 'exact-term',
    approach: 'hybrid-rag',
    evidence:
      'recall@5 of gold documents over stemmed BM25: +.054 [.038, .071] on the first five unseen sets together, +.021 [.006, .036] on five others, unseen until 2026-11-29; codes and names are matched by their letters',
  },
  {
    route: 'context-bound',
    approach: 'contextual-rag',
    evidence: `${SINGLE}: chunks carry the context of their document; on all questions of the six sets contextual finds as much as hybrid (.94, .96, .50, .65, .84, .50)`,
  },
  {
    route: 'linked-entities',
    approach: 'agentic-rag',
    evidence:
      'recall@5 on the 47 and 80 questions of two unseen multi-hop sets that were sent here, with the rules as models: agentic .723 and .887, lazy graph .645 and .912, hybrid .621 and .762, graph .461 and .756',
  },
  {
    route: 'several-steps',
    approach: 'agentic-rag',
    evidence:
      'all gold documents in 3,000 characters of the same two sets, against hybrid: agentic +.23 [.14, .32] and +.20 [.12, .28], lazy graph +.17 and +.26, graph .00 and −.17. The lead does not carry over to two more sets of two hops, of 200 and 116 questions, unseen until 2026-11-29: all gold documents in the first five, agentic .64 and .16, hybrid .62 and .13, lazy graph .66 and .07, graph .66 and .11',
  },
  { route: 'fallback', approach: 'hybrid-rag', evidence: 'a reply that names no route' },
]
