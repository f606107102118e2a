// Results that came with the project, and how they are kept apart from a person's own runs wherever a run is shown or chosen.
import { type CountedRun, partOf } from './partial-run.ts'
import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.sample

/**
 * The run that a page opens with: the newest complete one of the person's own, else the newest of their own, else the newest sample. A run
 * that was cancelled after a few cells says less than the complete one before it.
 */
export function firstShown<Run extends CountedRun>(
  runs: readonly Run[],
  samples: ReadonlySet<string>,
): Run | undefined {
  const own = runs.filter(({ run_id: id }) => !samples.has(id))
  return own.find((run) => partOf(run) === null) ?? own[0] ?? runs[0]
}

/** The sample that shows most: the first of those with the most questions, which tell approaches apart best. */
export function largestSample<Run extends { datasets: readonly { questions: number }[] }>(
  samples: readonly Run[],
): Run | undefined {
  const questionsOf = ({ datasets }: Run): number => datasets.reduce((sum, { questions }) => sum + questions, 0)
  return samples.toSorted((one, other) => questionsOf(other) - questionsOf(one))[0]
}

/** A run's name where no mark can be beside it. */
export const runLabel = (run: string, samples: ReadonlySet<string>): string =>
  samples.has(run) ? WORDS.named(run) : run

interface Choice {
  value: string
  label: string
}

/** Options of a choice of runs: own ones first, samples as a group of their own. */
export function runChoices(
  runs: readonly string[],
  samples: ReadonlySet<string>,
): Choice[] | { group: string; items: Choice[] }[] {
  const choices = (isSample: boolean): Choice[] =>
    runs.filter((run) => samples.has(run) === isSample).map((value) => ({ value, label: runLabel(value, samples) }))
  const [own, published] = [choices(false), choices(true)]
  if (own.length === 0 || published.length === 0) return [...own, ...published]
  return [
    { group: WORDS.own, items: own },
    { group: WORDS.samples, items: published },
  ]
}
