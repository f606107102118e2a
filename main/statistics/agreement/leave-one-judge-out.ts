import type { LeaveOneJudgeOut } from '../../../contract/evidence/statistics.ts'
import { StatisticsError } from '../statistics-error.ts'

interface PanelScores {
  judges: readonly string[]
  approaches: readonly string[]
  questions: number
  /** By question, then approach, then judge; NaN where a judge gave none. */
  scores: Float64Array
}

/** Means that differ by no more share their rank: only rounding is forgiven. */
const SAME = 1e-9

/**
 * Does the order rest on one judge? Ranks by the panel's mean (over questions, of the mean over the judges that scored it), then again without
 * each judge in turn. With a single judge there is nothing left to rank without it: every such rank is null, and the result inconclusive.
 */
export function leaveOneJudgeOut(panel: PanelScores): LeaveOneJudgeOut {
  const { judges, approaches, questions, scores } = panel
  if (scores.length !== questions * approaches.length * judges.length)
    throw new StatisticsError('bad_input', `${scores.length} scores do not fit the panel`)
  const means = panelMeans(panel, null)
  const ranks = ranksOf(means)
  const without = judges.map((_, judge) => ranksOf(panelMeans(panel, judge)))
  const firsts = [ranks, ...without].map((order) => approaches.filter((_, index) => order[index] === 1))
  return {
    approaches: approaches.map((model, index) => ({
      model,
      mean: means[index]!,
      rank: ranks[index]!,
      ranks_without: without.map((order) => order[index]!),
    })),
    judges: [...judges],
    unstable: approaches.filter((_, index) => without.some((order) => order[index] !== ranks[index])),
    inconclusive: firsts.some((first) => first.length !== 1 || first[0] !== firsts[0]![0]),
  }
}

const ranksOf = (means: readonly (number | null)[]): (number | null)[] =>
  ranksFromHighest(means.map((mean) => (mean === null ? null : Math.round(mean / SAME))))

/** Ranks from 1 for the highest value; equal values share the better rank and the next ones are skipped. Null has no rank. */
export function ranksFromHighest(values: readonly (number | null)[]): (number | null)[] {
  return values.map((value) =>
    value === null ? null : 1 + values.filter((other) => other !== null && other > value).length,
  )
}

function panelMeans({ judges, approaches, questions, scores }: PanelScores, without: number | null): (number | null)[] {
  return approaches.map((_, approach) => {
    let sum = 0
    let scored = 0
    for (let question = 0; question < questions; question += 1) {
      const from = (question * approaches.length + approach) * judges.length
      const given = scores
        .subarray(from, from + judges.length)
        .filter((score, judge) => judge !== without && !Number.isNaN(score))
      if (given.length === 0) continue
      sum += given.reduce((before, score) => before + score, 0) / given.length
      scored += 1
    }
    return scored === 0 ? null : sum / scored
  })
}
