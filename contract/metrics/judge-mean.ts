import type { Metric } from './metric.ts'

export const judgeMean = {
  id: 'judge_mean',
  label: 'judge mean',
  definition: "mean of the judges' grades for an answer; 1 to 5, higher is better",
  class: 'judge_panel',
  better: 'higher',
  range: [1, 5],
  needs: ['judge_panel'],
  unit: 'grade',
  artifactName: 'score',
  ranking: 'always',
  primary: 4,
  report: { place: 3, parts: ['findings', 'board', 'pairs'] },
} as const satisfies Metric
