import type { Aggregate, JudgeSection } from '../../../contract/evidence/aggregate.ts'
import type { PanelStatistics } from '../../../contract/evidence/judgments.ts'
import type { Agreement, Estimate } from '../../../contract/evidence/statistics.ts'
import { capital, countWords, plural, scoreWords } from '../../../contract/words.ts'
import { comparedMetric, meanInterval } from '../aggregate/aggregate-access.ts'
import { unrankedReason } from '../aggregate/metric-use.ts'
import { approachCode, code, columnsFrom, md, mdTable } from '../markdown/markdown-text.ts'
import { decidedLine, intervalWords, STATE_SIGNS } from '../words.ts'

type Judged = Extract<JudgeSection, { status: 'ok' | 'partial' }>

/** The judges' verdicts and how far they can be trusted, or why there is nothing. */
export function judgeLines(aggregate: Aggregate): string[] {
  const section = aggregate.judge_panel
  switch (section.status) {
    case 'disabled':
      return ['The judge panel was disabled.']
    case 'pending':
      return ['The judges have not been asked yet.']
    case 'error':
      return [`${STATE_SIGNS.error} No judge figures: ${md(section.message)}.`]
    case 'ok':
    case 'partial':
      return [
        ...gradeLines(aggregate, section),
        ...(section.panel === null ? [] : panelLines(section.panel, isRanked(aggregate))),
      ]
  }
}

/** Judges of the panel that gave a verdict. */
export const judgedBy = ({ judges, missing = [] }: Judged): string[] =>
  judges.filter((judge) => !missing.some(({ name }) => name === judge))

/** Returns true when the votes of the judges rank approaches. */
export const isRanked = (aggregate: Aggregate): boolean => unrankedReason([aggregate], 'score') === null

function gradeLines(aggregate: Aggregate, section: Judged): string[] {
  const ranked = isRanked(aggregate)
  const rows = section.approaches.map(({ model, rank, mean, n, expected, votes }) => [
    approachCode(model),
    ...(ranked ? [rank === null ? 'none' : String(rank)] : []),
    mean === null
      ? `none (0/${expected})`
      : [scoreWords(mean), intervalWords('score', meanInterval(aggregate, 'score', model)), `(${n}/${expected})`]
          .filter((part) => part !== '')
          .join(' '),
    String(votes),
  ])
  const judged = `${section.questions.judged} of ${plural(section.questions.expected, 'question')} judged by ${judgedBy(section).map(code).join(', ')}.`
  const compared = comparedMetric(aggregate, 'score')
  return [
    `${judged} ${winnerWords(aggregate, section, code)} Scores go from 1 to 5${ranked ? '; votes only order equal means' : ''}.${compared === null ? '' : ` ${decidedLine(compared)}.`}`,
    '',
    ...mdTable(['approach', ...(ranked ? ['rank'] : []), 'mean score', 'votes'], rows, columnsFrom(1, ranked ? 4 : 3)),
  ]
}

/** Who is first, and whether only votes put it there; or why the judges rank no approach. */
export function winnerWords(
  aggregate: Aggregate,
  { winner, approaches }: Judged,
  show: (model: string) => string,
): string {
  const reason = unrankedReason([aggregate], 'score')
  if (reason !== null) return `${capital(reason)}.`
  if (winner === null) return 'No approach is alone on rank 1.'
  const own = approaches.find(({ model }) => model === winner)!.mean
  const shared = approaches
    .filter(({ model, mean }) => model !== winner && mean === own)
    .map(({ model }) => show(model))
  return shared.length === 0
    ? `Rank 1: ${show(winner)}.`
    : `Rank 1: ${show(winner)}, by votes alone: ${shared.join(', ')} ${shared.length === 1 ? 'has' : 'have'} the same mean.`
}

function panelLines(panel: PanelStatistics, ranked: boolean): string[] {
  const { judges, alpha, alpha_answerable, alpha_above_minimum, leave_one_out: without, inconclusive } = panel
  const disputes = Object.entries(panel.disputed ?? {}).map(
    ([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`,
  )
  const rows = judges.map((judge) => [
    code(judge.judge),
    String(judge.verdicts),
    judge.mean_score === null ? 'none' : scoreWords(judge.mean_score),
    figure(judge.position_effect.slope),
    endFigure(judge.position_effect.first),
    endFigure(judge.position_effect.last),
    percent(judge.flip_rates.best),
    percent(judge.flip_rates.order),
    figure(judge.length_correlation.within_question),
  ])
  const reasons = Object.entries(inconclusive).map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`)
  return [
    '',
    `${agreementWords(alpha.estimate, alpha_answerable, alpha_above_minimum)}${ranked ? ` ${stabilityWords(without)}` : ''}`,
    ...(reasons.length === 0 ? [] : ['', `Questions without a winner: ${reasons.join(', ')}.`]),
    ...(disputes.length === 0 ? [] : ['', `Questions with a disputed winner: ${disputes.join(', ')}.`]),
    '',
    ...mdTable(JUDGE_HEAD, rows, columnsFrom(1, JUDGE_HEAD.length)),
  ]
}

const JUDGE_HEAD = [
  'judge',
  'verdicts',
  'mean',
  'per place',
  'first place',
  'last place',
  'best vote flips',
  'order flips',
  'with length',
]

const figure = ({ value, interval }: Estimate): string =>
  value === null ? 'none' : `${scoreWords(value)} ${intervalWords('score', interval)}`.trimEnd()

/** A dash for files of before. */
const endFigure = (estimate: Estimate | undefined): string => (estimate === undefined ? '–' : figure(estimate))

const percent = ({ value, n }: Estimate): string => (value === null ? 'none' : `${Math.round(value * 100)} % of ${n}`)

/** Krippendorff's own thresholds (2004, Content Analysis, p. 241): reliable from 0.8, tentative from 0.667. */
const TENTATIVE = 0.667
const RELIABLE = 0.8

/** Returns how far the judges agree, as a sentence. */
export function agreementWords(alpha: Estimate, answerable?: Agreement, aboveMinimum?: Agreement): string {
  if (alpha.value === null) return 'Agreement cannot be computed.'
  const parts = [
    ['questions with an answer', answerable],
    ['answers that some judge graded above 1', aboveMinimum],
  ] as const
  const others = parts.flatMap(([what, agreement]) =>
    agreement === undefined || agreement.estimate.value === null
      ? []
      : [`${figure(agreement.estimate)} over ${what} (${countWords(agreement.estimate.n)})`],
  )
  // The lower end of an interval decides where there is one, as on the pages: the promise must hold for it too.
  const least = alpha.interval?.low ?? alpha.value
  const verdict =
    least >= RELIABLE
      ? 'reliable'
      : least >= TENTATIVE
        ? 'enough for tentative conclusions'
        : 'too little to conclude from'
  return `Agreement of the judges: alpha ${figure(alpha)} over ${plural(alpha.n, 'grade')}, ${verdict}${others.length === 0 ? '' : `; ${others.join(', ')}`}.`
}

/** Says in a sentence whether the first place depends on a single judge. */
export function stabilityWords({ inconclusive, unstable }: PanelStatistics['leave_one_out']): string {
  const first = inconclusive
    ? 'The first place is shared, or changes when a judge is left out'
    : 'The first place stays whichever judge is left out'
  return unstable.length === 0 ? `${first}.` : `${first}; ${plural(unstable.length, 'rank')} in all change.`
}
