// One file per metric. Evaluation computes it by the formula there, the aggregate takes its mean, and reports, terminal, index and pages read how
// it is called, written, compared and ranked. To add one: its file, a line in metrics.ts, and a test of its formula; then `npm run glossary`. A model-graded metric
// (class ragas) has its prompt and formula in providers/platform/evaluator, which computes it.

import type { MethodStatement } from '../method-statement.ts'

/**
 * Defines where a metric's values come from, and so how its mean is made. ragas: graded by the evaluator's models. retrieval: contexts against gold
 * evidence. answer: the answer against what its question declares. operational: cost of the answered cells. These: mean over questions of the mean
 * over repetitions (main/report/aggregate/column.ts). judge_panel: mean over questions of the mean over judges.
 */
export const METRIC_CLASSES = ['ragas', 'retrieval', 'answer', 'judge_panel', 'operational'] as const

/** Describes what a cell must have for the metric to be measured. */
export type MetricNeed =
  | 'contexts'
  | 'ground_truth'
  | 'gold'
  | 'citations'
  | 'answer_keys'
  | 'short_answer'
  | 'unanswerable_question'
  | 'judge_panel'

/**
 * Describes where reports show a metric besides its leaderboard on the page: the sentences at the top; a leaderboard in Markdown too; tables of all pairs;
 * means by number of hops; a column of the terminal's matrix, of which the first one leads.
 */
export type ReportPart = 'findings' | 'board' | 'pairs' | 'hops' | 'terminal'

/** Describes what an answer metric is computed from. The fields that it needs are not empty. */
export interface AnswerEvidence {
  answer: string
  groundTruth: string
  answerKeys: readonly (readonly string[])[]
  /** Wrong answers that the question declares. */
  forbidden?: readonly string[]
  refused: boolean
}

interface MetricHead {
  id: string
  /** Name in tables, reports, pages and help. */
  label: string
  /** Head of a narrow column, where the label would be wider than its figures. */
  shortLabel?: string
  /** The sentence of tooltips, of reports, of `rag-ladder metrics` and of docs/GLOSSARY.md. */
  definition: string
  better: 'higher' | 'lower'
  /** Least and greatest possible value; null where there is no greatest. */
  range: readonly [least: number, greatest: number | null]
  /** Least score that an evaluator may send, where it is below the range: a mean of cosines can be negative. */
  leastReply?: number
  needs: readonly MetricNeed[]
  /** States how its values are written, and the axis that they are drawn on. */
  unit: 'score' | 'grade' | 'duration'
  /** Name in the comparisons and tables of artifacts, where it differs from the id. */
  artifactName?: string
  /**
   * States when its means may rank approaches: always, only where the models that graded it are validated against people's grades, unless built-in rules wrote the answers, or only where all approaches return about as many contexts as
   * it looks at; `instead` names the metric that compares the others.
   */
  ranking: 'always' | 'when_validated' | 'unless_answered_by_rules' | { contexts: number; instead: string }
  /** Rank among the metrics that can be primary: unless a run declares another, the first one that it has decides about it (decision 005). */
  primary?: number
  /** Returns what an approach that is ahead does, in a verdict: "covers 14 percentage points more of the required points". */
  ahead?: (amount: string) => string
  /** Holds what is true when every approach has the best, or the worst, possible value: a headline. */
  extremes?: { best: string; worst: string }
  /** Place among the leaderboards of reports, and the parts that show it besides; absent where reports only count it. */
  report?: { place: number; parts: readonly ReportPart[] }
}

export type Metric = MetricHead &
  /** A graded metric states what published method it follows. */
  (
    | {
        class: 'ragas' | 'judge_panel'
        method: MethodStatement
        /** True where the evaluator embeds texts for a score. */
        embeds?: true
      }
    | { class: 'operational' }
    | {
        class: 'retrieval'
        /** From the ranks, starting at 0, of the first contexts that hold each gold fact; Infinity where none does. There is one fact at least.
         * `contexts` are the numbers of the facts that each context holds, in order. */
        score: (ranks: readonly number[], contexts: readonly ReadonlySet<number>[]) => number
        /** Its value in rows of versions that did not have the metric; undefined where they do not hold it. Absent for metrics that every row has. */
        stored?: (scores: { all_contexts?: { recall: number } | undefined }) => number | undefined
      }
    | { class: 'answer'; score: (evidence: AnswerEvidence) => number }
  )
