import type { PairState } from '../../../core/evidence/pair-state.ts'
import { plural } from '../../components/format.ts'

/** Lists what quality is drawn against; each a mean per answered cell, lower is better. */
export const COST_AXES = ['latency_ms', 'total_tokens', 'llm_calls', 'cloud_calls'] as const
export type CostAxis = (typeof COST_AXES)[number]

/** Texts of the Compare page. */
export const COMPARE_WORDS = {
  page: 'Compare',
  comparison: 'The comparison',
  metric: 'Metric',
  approach: 'Approach',

  dataset: 'Dataset',
  nothingChosen: 'Choose two runs',
  noOther: 'Two runs show which approaches became better or worse, and what else changed.',
  noShared: (run: string, other: string) => `${run} and ${other} have no dataset in common.`,
  tickRuns: 'Tick two runs in the list',
  which: (run: string, other: string) => `This run: ${run} · other run: ${other}`,
  conditions: 'What changed between them',
  tested: 'Differences by approach',
  tests: 'The tests of the differences',
  working: 'Testing the differences…',
  notIndexed: (runs: string) => `▲ Not indexed: ${runs}`,
  differences: 'Differences between runs',
  same: '= same scores',
  noSharedQuestion: '– no shared question',
  unknown: '–',
  onlyIn: { here: '– only in this run', there: '– only in the other run' },
  states: {
    better: '▲ better',
    worse: '▼ worse',
    equivalent: '≈ equivalent',
    open: '○ open',
    not_tested: '– not tested',
  } satisfies Record<PairState, string>,
  pAfterHolm: (p: string) => `p (Holm) ${p}`,
  differenceColumns: {
    shared: 'Shared questions',
    own: 'This run',
    other: 'Other run',
    difference: (metric: string) => `Difference in ${metric}`,
    bar: 'this run − other run',
    decision: 'Test',
    changed: 'Scores that differ',
  },

  questions: {
    title: 'Question by question',
    what: 'The questions that differ',
    kinds: { better: 'Better here', worse: 'Worse here', here: 'Only in this run', there: 'Only in the other run' },
    signs: { better: '▲', worse: '▼', here: '●', there: '○' },
    all: 'All',
    counted: (label: string, cells: string) => `${label} ${cells}`,
    same: (same: number, approaches: number) =>
      `${plural(same, 'answer')} of ${plural(approaches, 'approach', 'approaches')} ${same === 1 ? 'has' : 'have'} the same score in both runs.`,
    listed: (listed: string, total: string) => `The ${listed} largest of ${total} differences are listed and counted.`,
    none: 'No score differs.',
    noneOfKind: 'No listed question is of this kind.',
    approach: 'Approach of the questions',
    anyApproach: 'all approaches',
    showChanged: (cells: string, alias: string) => `${cells} questions of ${alias}: list them below`,
    question: 'Question',
    kind: 'Change',
    openCell: (run: string, value: string) => `${value} in ${run}: open the answer`,
    repetition: (repeat: number) => `answer ${repeat}`,
  },

  provenance: 'The provenance',
  sameConditions: (fields: string) => `● Made under the same conditions: all ${fields} fields are equal.`,
  otherConditions: (fields: string, isOne: boolean, same: string) =>
    `${fields} ${isOne ? 'differs' : 'differ'}, ${same} are equal.`,
  noProvenance: (runs: string) => `▲ The provenance of ${runs} is unknown, so its conditions are not compared.`,
  fields: 'Fields that differ',
  field: 'Field',

  against: (metric: string, cost: string) => `${metric} against ${cost}`,
  overRungs: (metric: string) => `${metric} by level`,
  cost: 'Cost',
  costs: {
    latency_ms: { label: 'Median latency', name: 'median latency' },
    total_tokens: { label: 'Tokens', name: 'mean tokens per answer' },
    llm_calls: { label: 'Model calls', name: 'mean model calls per answer' },
    cloud_calls: { label: 'Cloud calls', name: 'mean cloud calls per answer' },
  },
  noPoint: (metric: string, cost: string) => `No approach has both ${metric} and ${cost}.`,
  meanAxis: (metric: string) => `mean ${metric}, 95 % interval`,
  costTable: 'Quality and costs by approach',
  interval: '95 % interval',
  n: 'n',
  frontier: 'Frontier',
  onFrontier: { yes: 'yes', no: 'no' },
  frontierNote: 'Frontier, joined by the dashed line: no other approach is both cheaper and at least as good.',
  rung: (level: number) => `level ${level}`,
  rungTable: 'Means by level',
} as const
