import type { Aggregate, PairComparison, PairDecision } from '../../contract/index.ts'
import { baselineOf, comparedMetric, pairAgainst } from './comparison-access.ts'
import { DECISION_WORDS, decidedLine, signedWords } from './comparison-words.ts'
import { STATE_SIGNS } from './score-format.ts'
import type { ScoreMetric } from './score-metrics.ts'
import type { Segment, Style } from './terminal-paint.ts'
import { shorten } from '../lib/terminal-text.ts'

/** Columns for the baseline's name in a head. */
const MAX_BASELINE = 10
const DECISION_STYLES: Readonly<Record<PairDecision, Style>> = { better: 'green', worse: 'red', undecided: 'dim' }

/** The leading metric of every approach against the baseline; null where there is nothing to compare. */
export function decisionsOf(aggregate: Aggregate, metric: ScoreMetric) {
  const baseline = baselineOf(aggregate)
  const compared = comparedMetric(aggregate, metric)
  if (baseline === null || compared === null || compared.pairs.length === 0) return null
  return {
    head: `vs ${shorten(baseline.model.replace(/-rag$/, ''), MAX_BASELINE)}`,
    cell: (model: string): Segment[] =>
      model === baseline.model
        ? [{ text: 'baseline', style: 'dim' }]
        : decisionCell(pairAgainst(compared, model, baseline.model)),
  }
}

/** `+.12 better`, `−.02 open`; a dash for a pair without a common question. */
function decisionCell(pair: PairComparison | null): Segment[] {
  const value = pair?.difference.value ?? null
  if (pair === null || value === null) return [{ text: STATE_SIGNS.disabled, style: 'dim' }]
  const text = `${signedWords('score', value).replace(/0(?=\.)/, '')} ${DECISION_WORDS[pair.decision]}`
  return [{ text, style: DECISION_STYLES[pair.decision] }]
}

/** What is decided on a metric, under the table; empty for a run of one approach. */
export function decidedWords(aggregate: Aggregate, metric: ScoreMetric): string {
  const compared = comparedMetric(aggregate, metric)
  return compared === null || compared.pairs.length === 0 ? '' : decidedLine(compared)
}
