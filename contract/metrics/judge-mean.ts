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
  ranking: 'when_validated',
  primary: 4,
  report: { place: 3, parts: ['findings', 'board', 'pairs'] },
  method: {
    follows: 'pairwise and graded judging as in BenchmarkQED 0.4 (AutoE)',
    relation: 'differs',
    same: ['Answers are anonymous, their order rotates, ties are allowed, paired tests are corrected by Holm.'],
    differs: [
      'One grade from 1 to 5 for each answer, all answers in one prompt, instead of pairs on four criteria.',
      'Lengths are cut at 1,200 characters and not aligned; an A/A comparison is not part of a run.',
    ],
  },
} as const satisfies Metric
