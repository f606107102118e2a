/** ragas: graded by the evaluator's models. retrieval: contexts against gold evidence. answer: the answer against its ground truth. */
export const METRIC_CLASSES = ['ragas', 'retrieval', 'answer', 'judge_panel', 'operational'] as const

/** What a cell must have for the metric to be measured. */
export type MetricNeed = 'contexts' | 'ground_truth' | 'gold' | 'answer_keys' | 'unanswerable_question' | 'judge_panel'

/** One metric. Its file is the only place that says these things; `metrics.ts` lists the files. */
export interface Metric {
  id: string
  /** Name in tables, reports, pages and help. */
  label: string
  /** The sentence of tooltips and of docs/GLOSSARY.md. */
  definition: string
  class: (typeof METRIC_CLASSES)[number]
  better: 'higher' | 'lower'
  /** Least and greatest possible value; null where there is no greatest. */
  range: readonly [least: number, greatest: number | null]
  needs: readonly MetricNeed[]
  unit: 'score' | 'duration'
}
