import type { MethodStatement } from './method-statement.ts'

/** A figure that is computed from the rows of a run where a caller asks for it: no row and no aggregate holds it. */
interface AskedFigure {
  id: string
  label: string
  definition: string
  method: MethodStatement
}

/** Chance with which a reader of a ranking goes on to the next entry, by which rank-biased overlap weighs ranks: the first ten hold 86 % of the weight. */
export const PERSISTENCE = 0.9

export const ASKED_FIGURES = [
  {
    id: 'rank_biased_overlap',
    label: 'rank-biased overlap',
    definition:
      'how alike two approaches rank documents for the same question, first ranks counting most (p = 0.9, extrapolated); 0: no document in common, 1: the same order; it says nothing about quality, no model is asked',
    method: {
      follows:
        'rank-biased overlap, extrapolated for lists of unequal length (Webber, Moffat and Zobel 2010, TOIS 28(4):20, eq. 32)',
      relation: 'faithful',
      same: ['Values equal those of the Python package rbo 0.1.3.'],
      differs: [
        'Ranked are documents, each at the first of its passages, because approaches cut documents in different ways.',
        'It is 0 where one approach hands over nothing; questions for which both hand over nothing, or one does not report its passages, do not count.',
      ],
    },
  },
  {
    id: 'facts_per_1000_tokens',
    label: 'facts per 1,000 tokens',
    definition:
      'gold facts that the contexts hold, for each 1,000 tokens handed over: all facts found over all tokens of the answers of which both are known; above 0, higher is better at like facts found, no model is asked',
    method: {
      follows: null,
      relation: 'differs',
      same: [
        'A ratio of sums over questions with an interval over groups of them (jackknife), so that answers with little text do not rule it.',
      ],
      differs: [],
    },
  },
] as const satisfies readonly AskedFigure[]

export type AskedFigureId = (typeof ASKED_FIGURES)[number]['id']
