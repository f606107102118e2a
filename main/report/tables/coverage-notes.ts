import { GAPS_OF_QUESTIONS, reasonWords } from '../../../core/evidence/gap-reasons.ts'
import type { Aggregate, ApproachSummary, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import type { ContextText } from '../../../contract/evidence/canonical-row.ts'
import type { UnseenEvidence } from '../../../contract/evidence/evaluation-result.ts'
import { METRIC_LABELS } from '../../../contract/metrics/metrics.ts'
import { countWords, plural, scoreWords } from '../../../contract/words.ts'
import { metricOf } from '../aggregate/aggregate-access.ts'
import type { ScoreMetric } from '../aggregate/metric-outcome.ts'
import { STATE_SIGNS } from '../words.ts'

/** A gap in the figures and its reason. The text may hold words of an evaluator or a gateway: untrusted. */
interface CoverageNote {
  sign: string
  text: string
}

/** Why figures are missing or do not compare: failed cells, metrics without evidence, evaluator failures, unequal coverage. */
export function coverageNotes(aggregate: Aggregate, metrics: readonly ScoreMetric[]): CoverageNote[] {
  return [
    ...aggregate.approaches.flatMap(cellNotes),
    ...outdatedNotes(aggregate),
    ...aggregate.approaches.flatMap(unseenNotes),
    ...cutNotes(aggregate),
    ...unsearchedNotes(aggregate),
    ...repeatedNotes(aggregate),
    ...contextTextNotes(aggregate),
    ...refusalNotes(aggregate),
    ...questionNotes(aggregate, metrics),
    ...gapNotes(aggregate, metrics),
    ...metrics.flatMap((metric) => unequalNotes(aggregate, metric)),
  ]
}

function cellNotes({ model, cells }: ApproachSummary): CoverageNote[] {
  const failed = cells.error + cells.timeout
  const notes: CoverageNote[] = []
  if (failed > 0) {
    const types = Object.entries(cells.failures_by_type).map(([type, count]) => `${type.replaceAll('_', ' ')} ${count}`)
    notes.push({
      sign: cells.error > 0 ? STATE_SIGNS.error : STATE_SIGNS.timeout,
      text: `${model}: ${countWords(failed)} of ${plural(cells.expected, 'answer')} failed (${types.join(', ')})`,
    })
  }
  if (cells.missing > 0)
    notes.push({
      sign: STATE_SIGNS.not_run,
      text: `${model}: no row yet for ${countWords(cells.missing)} of ${plural(cells.expected, 'answer')}`,
    })
  return notes
}

const UNSEEN_WORDS: Readonly<Record<UnseenEvidence, string>> = {
  question_chars: 'the end of the question',
  answer_chars: 'the end of the answer',
  ground_truth_chars: 'the end of the ground truth',
  context_chars: 'the end of a context',
  contexts: 'contexts beyond the 50th',
  statements: 'statements of the answer beyond the 50th',
}

/** A note on each score that rests on a part of an answer. */
function unseenNotes({ model, evaluation }: ApproachSummary): CoverageNote[] {
  const parts = Object.entries(evaluation.unseen ?? {}).map(
    ([what, count]) => `${UNSEEN_WORDS[what as UnseenEvidence]} (${plural(count, 'answer')})`,
  )
  if (parts.length === 0) return []
  return [{ sign: STATE_SIGNS.partial, text: `${model}: the evaluator did not see ${parts.join(', ')}` }]
}

/** An answer without its end is scored on what is there, unless the run leaves it out. */
function cutNotes({ approaches, reproducibility }: Aggregate): CoverageNote[] {
  const cut = countsOf(approaches, 'cut_answers')
  if (cut === '') return []
  const left = reproducibility?.runtime.excludes_cut_answers === true ? ', and left out of all scores' : ''
  return [
    {
      sign: STATE_SIGNS.partial,
      text: `answers are cut, because the model reached its limit of tokens${left}: ${cut}`,
    },
  ]
}

/** An agent that does not search answers from what its model knows. */
function unsearchedNotes({ approaches }: Aggregate): CoverageNote[] {
  const counts = countsOf(approaches, 'unsearched_answers')
  return counts === '' ? [] : [{ sign: STATE_SIGNS.partial, text: `answers were written without a search: ${counts}` }]
}

/** An answer that repeats its prompt says nothing of its own. */
function repeatedNotes({ approaches }: Aggregate): CoverageNote[] {
  const counts = countsOf(approaches, 'repeated_prompts')
  const text = `answers repeat the prompt and hold no text of their own, so they cover no point and are not graded: ${counts}`
  return counts === '' ? [] : [{ sign: STATE_SIGNS.partial, text }]
}

/** A failure that another setting may have ended counts against its approach all the same. */
function outdatedNotes({ approaches }: Aggregate): CoverageNote[] {
  const counts = countsOf(approaches, 'outdated_failures')
  const text = `answers failed under an earlier setting of a model, and were not tried again. They count against their approach until the run is resumed with all of its approaches and questions: ${counts}`
  return counts === '' ? [] : [{ sign: STATE_SIGNS.error, text }]
}

type Counted = 'outdated_failures' | 'cut_answers' | 'unsearched_answers' | 'repeated_prompts'

const countsOf = (approaches: readonly ApproachSummary[], what: Counted): string =>
  approaches
    .flatMap(({ model, [what]: count = 0 }) => (count === 0 ? [] : [`${model} (${plural(count, 'answer')})`]))
    .join(', ')

/** Context metrics over snippets of 240 characters do not measure what the model was given. */
function contextTextNotes({ approaches }: Aggregate): CoverageNote[] {
  const cut = approaches.flatMap(({ model, context_texts: { snippet = 0, mixed = 0 } = {} }) =>
    snippet + mixed === 0 ? [] : [`${model} (${plural(snippet + mixed, 'answer')})`],
  )
  if (cut.length === 0) return []
  const text = `contexts are scored on snippets of at most 240 characters, so these scores do not compare with scores of full texts: ${cut.join(', ')}`
  return [{ sign: STATE_SIGNS.partial, text }]
}

/** Which texts of the contexts were scored, as one sentence; null where no row has them. */
export function contextTextWords({ approaches }: Aggregate): string | null {
  const of = (kind: ContextText): number =>
    approaches.reduce((sum, { context_texts }) => sum + (context_texts?.[kind] ?? 0), 0)
  const parts = (
    [
      ['full', 'full text'],
      ['snippet', 'snippets of at most 240 characters'],
      ['mixed', 'full text and snippets mixed'],
    ] as const
  ).flatMap(([kind, words]) => (of(kind) === 0 ? [] : [`${words} (${plural(of(kind), 'answer')})`]))
  return parts.length === 0 ? null : `Contexts and faithfulness are scored on ${parts.join(', ')}.`
}

/** `vanilla-rag 3 of 24`: answers that refuse, of the approaches with any; they are shown beside the scores and change none. */
export const refusalWords = ({ approaches }: Aggregate): string[] =>
  approaches.flatMap(({ model, refusals }) => {
    if (refusals === undefined || refusals.refused + refusals.unknown === 0) return []
    const all = refusals.refused + refusals.answered + refusals.unknown
    const unknown = refusals.unknown === 0 ? '' : `, ${countWords(refusals.unknown)} unknown`
    return [`${model} ${countWords(refusals.refused)} of ${countWords(all)}${unknown}`]
  })

function refusalNotes(aggregate: Aggregate): CoverageNote[] {
  const words = refusalWords(aggregate)
  return words.length === 0 ? [] : [{ sign: STATE_SIGNS.not_evaluable, text: `refused answers: ${words.join('; ')}` }]
}

const labels = (metrics: readonly ScoreMetric[]): string => metrics.map((metric) => METRIC_LABELS[metric]).join(', ')

function questionNotes(aggregate: Aggregate, metrics: readonly ScoreMetric[]): CoverageNote[] {
  return Object.entries(GAPS_OF_QUESTIONS).flatMap(([reason, what]) => {
    const counts = metrics.map((metric) =>
      Math.max(0, ...aggregate.approaches.map((each) => metricOf(each, metric)?.unevaluable_by_reason[reason] ?? 0)),
    )
    const count = Math.max(0, ...counts)
    if (count === 0) return []
    const concerned = metrics.filter((_metric, index) => counts[index]! > 0)
    const text = `${labels(concerned)}: ${plural(count, 'question')} ${what} ${count === 1 ? 'is' : 'are'} left out`
    return [{ sign: STATE_SIGNS.not_evaluable, text }]
  })
}

function gapText(approach: ApproachSummary, summary: MetricSummary): string {
  const parts = Object.entries(summary.errors_by_reason).map(([reason, count]) => `${reasonWords(reason)} (${count})`)
  if (summary.timeouts > 0) parts.unshift(`the evaluator timed out (${summary.timeouts})`)
  for (const [reason, count] of Object.entries(summary.unevaluable_by_reason))
    if (!(reason in GAPS_OF_QUESTIONS)) parts.push(`${reasonWords(reason, approach.evidence_capability)} (${count})`)
  if (summary.disabled > 0) parts.push(`no evaluator was asked (${summary.disabled})`)
  return parts.join('; ')
}

function gapNotes(aggregate: Aggregate, metrics: readonly ScoreMetric[]): CoverageNote[] {
  return aggregate.approaches.flatMap((approach) => {
    const byText = new Map<string, { sign: string; metrics: ScoreMetric[] }>()
    for (const metric of metrics) {
      const summary = metricOf(approach, metric)
      const text = summary === undefined ? '' : gapText(approach, summary)
      if (summary === undefined || text === '') continue
      const same = byText.get(text) ?? { sign: STATE_SIGNS[summary.state], metrics: [] }
      byText.set(text, same)
      same.metrics.push(metric)
    }
    return [...byText].map(([text, same]) => ({
      sign: same.sign,
      text: `${approach.model}: ${labels(same.metrics)}: ${text}`,
    }))
  })
}

function unequalNotes(aggregate: Aggregate, metric: ScoreMetric): CoverageNote[] {
  const common = aggregate.approaches.flatMap((approach) => {
    const summary = metricOf(approach, metric)
    const common = summary?.common ?? null
    return common === null ? [] : [{ model: approach.model, ...common }]
  })
  const n = common[0]?.n
  if (n === undefined) return []
  const means = common.map((each) => `${each.model} ${each.mean === null ? 'none' : scoreWords(each.mean)}`).join(', ')
  const text =
    n === 0
      ? `${METRIC_LABELS[metric]}: the approaches share no scored question, so their means do not compare`
      : `${METRIC_LABELS[metric]} over the ${plural(n, 'question')} that all have: ${means}`
  return [{ sign: UNEQUAL_SIGN, text }]
}

/** Marks a mean that does not compare with its neighbours because they rest on other questions. */
export const UNEQUAL_SIGN = '≠'
