import type { Judgments } from '../../contract/index.ts'

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

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
    `${counted(verdicts, 'verdict')} of ${counted(judges.length, 'judge')}`,
    ...(errors.length > 0 ? [`${counted(errors.length, 'verdict')} could not be had`] : []),
    ...(blocked.length > 0 ? [`${counted(blocked.length, 'question')} blocked by the leak scan`] : []),
    ...(withheld.length > 0
      ? [`${counted(withheld.length, 'question')} judged with names of approaches or source markers withheld`]
      : []),
    `${winners} of ${counted(queries.length, 'question')} with a winner`,
    ...(alpha === undefined || alpha === null ? [] : [`agreement alpha ${alpha.toFixed(2)}`]),
  ].join(', ')
}
