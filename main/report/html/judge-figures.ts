import type { Look } from '../../../charts/look.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { JudgeProfile } from '../../../contract/evidence/judgments.ts'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { plural, scoreWords } from '../../../contract/words.ts'
import { agreementWords, isRanked, judgedBy, stabilityWords, winnerWords } from '../tables/judge-tables.ts'
import { intervalWords, STATE_SIGNS } from '../words.ts'
import { aliasHead, dataTable, figureWith, fragment, h, num, type Cell, type Markup } from './markup.ts'

/** Returns how far the judges of one dataset run can be trusted; or why there is nothing. */
export function judgeFigures(aggregate: Aggregate, looks: ReadonlyMap<string, Look>): Markup {
  const section = aggregate.judge_panel
  const title = h('h3', {}, aggregate.dataset.label)
  switch (section.status) {
    case 'disabled':
      return fragment(title, h('p', {}, 'The judge panel was disabled.'))
    case 'pending':
      return fragment(title, h('p', {}, 'The judges have not been asked yet.'))
    case 'error':
      return fragment(title, h('p', {}, `${STATE_SIGNS.error} No judge figures: ${section.message}`))
    case 'ok':
    case 'partial':
      break
  }
  const { panel, questions } = section
  const summary = `${questions.judged} of ${plural(questions.expected, 'question')} judged by ${judgedBy(section).join(', ')}. ${winnerWords(aggregate, section, String)}`
  if (panel === null) return fragment(title, h('p', {}, summary))
  const { leave_one_out: without } = panel
  const ranked = isRanked(aggregate)
  const votes = new Map(section.approaches.map((each) => [each.model, each.votes]))
  return fragment(
    title,
    h(
      'p',
      {},
      `${summary} ${agreementWords(panel.alpha.estimate, panel.alpha_answerable, panel.alpha_above_minimum)}${ranked ? ` ${stabilityWords(without)}` : ''}`,
    ),
    dataTable('How each judge grades', JUDGE_HEAD, panel.judges.map(profileRow)),
    dataTable(
      ranked ? 'Scores, and ranks by the mean with one judge left out' : 'Scores',
      [
        { content: 'approach' },
        { content: 'best votes', numeric: true },
        { content: 'mean', numeric: true },
        ...(ranked ? ['all judges', ...without.judges.map((judge) => `without ${judge}`)] : []).map((content) => ({
          content,
          numeric: true,
        })),
      ],
      without.approaches.map(({ model, mean, rank, ranks_without: ranks }) => ({
        head: aliasHead(model, looks),
        cells: [
          num(String(votes.get(model) ?? 0)),
          num(mean === null ? '–' : scoreWords(mean)),
          ...(ranked ? [rank, ...ranks] : []).map((each) =>
            num(each === null ? '–' : String(each), each === rank ? '' : 'moved'),
          ),
        ],
      })),
    ),
  )
}

const JUDGE_HEAD = [
  { content: 'judge' },
  { content: 'verdicts', numeric: true },
  { content: 'failures', numeric: true },
  { content: 'mean', numeric: true },
  { content: 'score change per place', numeric: true },
  { content: 'first place', numeric: true },
  { content: 'last place', numeric: true },
  { content: 'best vote flips', numeric: true },
  { content: 'order flips', numeric: true },
  { content: 'correlation with length', numeric: true },
]

const profileRow = (judge: JudgeProfile) => ({
  head: judge.judge,
  cells: [
    num(String(judge.verdicts)),
    num(String(judge.failures)),
    num(judge.mean_score === null ? '–' : scoreWords(judge.mean_score)),
    estimateCell(judge.position_effect.slope),
    endCell(judge.position_effect.first),
    endCell(judge.position_effect.last),
    shareCell(judge.flip_rates.best),
    shareCell(judge.flip_rates.order),
    estimateCell(judge.length_correlation.within_question),
  ],
})

const estimateCell = ({ value, interval }: Estimate): Cell =>
  num(value === null ? '–' : figureWith(scoreWords(value), intervalWords('score', interval)))

/** A dash where an earlier file has no figure. */
const endCell = (estimate: Estimate | undefined): Cell => (estimate === undefined ? num('–') : estimateCell(estimate))

const shareCell = ({ value, n }: Estimate): Cell =>
  num(value === null ? '–' : figureWith(`${Math.round(value * 100)} %`, `of ${n}`))
