import { existsSync } from 'node:fs'
import { journalPath, readVerdicts } from '../judge/verdict-journal.ts'
import type { LadderDataset } from '../manifests/experiment.ts'
import { cellsInOrder, type CellPlan } from '../runner/cells/ladder-cells.ts'
import { filesOf, type PreparedRun } from '../runner/prepare/prepare-run.ts'

/** Returns the names of judges, one for each stored verdict on answers that stay as they are: the panel does not request these again. */
export async function storedVerdicts(
  run: PreparedRun,
  dataset: LadderDataset,
  cells: CellPlan | null,
  rotations: number,
): Promise<string[]> {
  const { enabled, models } = run.judgePanel
  if (!enabled || cells === null) return []
  const journal = journalPath(filesOf(run, dataset.dataset.id).judgments)
  // A damaged journal is reported when the judges are asked.
  const entries = existsSync(journal) ? await readVerdicts(journal).catch(() => []) : []
  const changed = changedQuestions(run, dataset, cells)
  const questions = new Set(dataset.questions.map(({ id }) => id).filter((id) => !changed.has(id)))
  const aliases = run.aliases.map(({ alias }) => alias)
  const kept = new Map<string, string>()
  for (const { query_id: id, judge, verdict } of entries) {
    const isOfRun = questions.has(id) && models.includes(judge) && verdict.rotation < rotations
    const isOfAnswers = verdict.order.length === aliases.length && verdict.order.every((name) => aliases.includes(name))
    if (isOfRun && isOfAnswers) kept.set(JSON.stringify([id, judge, verdict.rotation]), judge)
  }
  return [...kept.values()]
}

/** Questions that get an answer. */
function changedQuestions(run: PreparedRun, dataset: LadderDataset, { resume, retryOf }: CellPlan): Set<string> {
  if (resume.run.length === 0 && resume.answered.length === 0) return new Set()
  const { runId, aliases, repeats, experiment } = run
  const reused = new Set(resume.reuse)
  const all = cellsInOrder({ runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed, retryOf })
  return new Set([...all].flatMap(({ rowId, question }) => (reused.has(rowId) ? [] : [question.id])))
}
