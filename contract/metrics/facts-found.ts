import type { Metric } from './metric.ts'

export const factsFound = {
  id: 'facts_found',
  label: 'facts found',
  definition:
    'share of the gold evidence that the contexts handed to the answerer hold, at whatever rank; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: 'always',
  primary: 1,
  ahead: (amount: string) => `finds ${amount} more of the facts`,
  extremes: { best: 'Every approach found everything', worst: 'No approach found any fact' },
  report: { place: 1, parts: ['findings', 'board', 'pairs', 'hops', 'terminal'] },
  score: (ranks) => ranks.filter((rank) => rank !== Infinity).length / ranks.length,
  stored: ({ all_contexts: all }) => all?.recall,
} as const satisfies Metric
