import type { Judgments } from '../../contract/evidence/judgments.ts'
import { SHOWN_NOT_VALIDATED, unvalidatedJudges } from '../../contract/validated-grades.ts'
import type { Estimate } from '../../contract/evidence/statistics.ts'
import { intervalWords, plural, scoreWords } from '../../contract/words.ts'
import { sanitizeForTerminal } from '../lib/text/sanitize-for-terminal.ts'
import { wrap } from '../lib/text/terminal-text.ts'
import { readJudgments } from '../report/aggregate/judge-input.ts'
import { filesOf, type PreparedRun } from '../runner/prepare/prepare-run.ts'
import { outputColumns } from './progress/render-line.ts'

const figure = ({ value, interval }: Estimate): string =>
  value === null ? '–' : `${scoreWords(value)}${interval === null ? '' : ` ${intervalWords(interval)}`}`

const share = ({ value, n }: Estimate): string => (value === null ? '–' : `${Math.round(value * 100)} % of ${n}`)

/** Returns what is known of a panel's judges, as lines for a terminal; endpoints' and answers' texts in it are made harmless. */
function describeJudges(
  { dataset_id, judges, panel, blocked = [], withheld = [], errors = [] }: Judgments,
  columns: number,
): string {
  if (panel === undefined) return ''
  const { alpha, leave_one_out: without, inconclusive } = panel
  const unranked = unvalidatedJudges(judges)
  const reasons = Object.entries(inconclusive).map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`)
  const lines = [
    `judges of ${dataset_id}: alpha ${figure(alpha.estimate)} over ${plural(alpha.estimate.n, 'grade')}`,
    ...panel.judges.map(
      (judge) =>
        `  ${judge.judge}: mean ${judge.mean_score === null ? '–' : scoreWords(judge.mean_score)}, ${figure(judge.position_effect.slope)} per place, best vote flips ${share(judge.flip_rates.best)}, correlation with length ${figure(judge.length_correlation.within_question)}`,
    ),
    ...(reasons.length > 0 ? [`  questions without a winner: ${reasons.join(', ')}`] : []),
    unranked !== null
      ? `  judge mean ${unranked}: ${SHOWN_NOT_VALIDATED}`
      : without.inconclusive
        ? '  first place is shared, or changes when a judge is left out'
        : '  first place stays whichever judge is left out',
    ...errors.slice(0, 5).map(({ query_id, judge, code, message }) => `  ${judge} on ${query_id}: ${code}: ${message}`),
    ...(withheld.length === 0
      ? []
      : [
          `  ${plural(withheld.length, 'question')} judged with names of approaches or source markers withheld from the answers`,
        ]),
    ...blocked.slice(0, 5).map(({ query_id, leaks }) => {
      const [{ kind, text, found_in }] = leaks as [(typeof leaks)[number]]
      return `  ${query_id} blocked: ${kind.replaceAll('_', ' ')} ${JSON.stringify(text)} in ${found_in}`
    }),
  ]
  return lines
    .flatMap((line) =>
      wrap(sanitizeForTerminal(line).replaceAll('\n', ' ').replace(/^ {2}/, '\u00a0\u00a0'), columns, '    '),
    )
    .map((line) => `${line.replaceAll('\u00a0', ' ')}\n`)
    .join('')
}

/** Prints what the judges of this run's datasets came to; nothing for datasets that have no judgments yet. */
export async function printJudges(run: PreparedRun, out: NodeJS.WriteStream): Promise<void> {
  for (const { dataset } of run.datasets) {
    const judge = await readJudgments(filesOf(run, dataset.id).judgments)
    if (judge.state === 'read') out.write(`\n${describeJudges(judge.judgments, outputColumns(out, process.env))}`)
  }
}
