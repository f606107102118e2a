import { plural, scoreWords, type Judgments } from '../../contract/index.ts'

/** What a panel came to, in one line: verdicts, what is missing, and how far the judges agree. */
export function describePanel({ judges, queries, errors = [], blocked = [], withheld = [], panel }: Judgments): string {
  const verdicts = queries.reduce(
    (sum, { per_judge }) =>
      sum + Object.values(per_judge).reduce((count, verdict) => count + (verdict.rotations?.length ?? 1), 0),
    0,
  )
  const winners = queries.filter(({ observed_winner }) => observed_winner !== null).length
  const alpha = panel?.alpha.estimate.value
  return [
    `${plural(verdicts, 'verdict')} of ${plural(judges.length, 'judge')}`,
    ...(errors.length > 0 ? [`${plural(errors.length, 'verdict')} failed`] : []),
    ...(blocked.length > 0 ? [`${plural(blocked.length, 'question')} blocked by the leak scan`] : []),
    ...(withheld.length > 0
      ? [`${plural(withheld.length, 'question')} judged with names of approaches or source markers withheld`]
      : []),
    `${winners} of ${plural(queries.length, 'question')} with a winner`,
    ...(alpha === undefined || alpha === null ? [] : [`agreement alpha ${scoreWords(alpha)}`]),
  ].join(', ')
}
