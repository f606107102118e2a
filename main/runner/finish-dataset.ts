import { readJudgments } from '../report/judge-input.ts'
import { leftOverNotice, publish } from '../report/publish.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import type { RunSummaryContext } from '../report/run-summary.ts'
import { validateArtifacts, type ArtifactExpectation, type ArtifactProblem } from '../report/validate-artifacts.ts'
import { writeArtifacts } from '../report/write-artifacts.ts'
import type { DatasetRun } from './dataset-run.ts'
import { judgeDataset } from './judge-dataset.ts'
import type { At, Skip } from './ladder-step.ts'
import { plural } from '../report/score-format.ts'

/** Artifacts of a finished run do not hold together; nothing was published. */
export class ArtifactsInvalidError extends Error {
  override readonly name = 'ArtifactsInvalidError'
  readonly code = 'artifacts_invalid'
  readonly problems: readonly ArtifactProblem[]

  constructor(problems: readonly ArtifactProblem[]) {
    super(problems.map(({ file, message }) => `  ${file}: ${message}`).join('\n'))
    this.problems = problems
  }
}

/** How many rows the evidence must hold when every cell of the selection has been made. */
export function expectationOf(run: DatasetRun, context: RunSummaryContext): ArtifactExpectation {
  const callable = run.aliases.length - context.unavailable.length
  return {
    runId: run.runId,
    datasetId: run.dataset.dataset.id,
    expectedCells: callable * run.dataset.questions.length * run.repeats,
  }
}

/** Steps 9 and 10. Whatever the panel says, the other sections of the summary stay as they are. */
async function judgeAndJoin(run: DatasetRun, context: RunSummaryContext, at: At): Promise<void> {
  await at('judge', async () => {
    const { note } = await judgeDataset(run, context)
    return { result: null, note }
  })
  await at('summarize', async () => {
    const judge = await readJudgments(run.files.judgments)
    const { aggregate } = await writeArtifacts(run.files, readEvidenceRows(run.files.evidence), { ...context, judge })
    return { result: null, note: `judge section: ${aggregate.judge_panel.status}` }
  })
}

/** Steps 9 to 12: judges, final summary, validation, publication. */
export async function finishDataset(
  run: DatasetRun,
  context: RunSummaryContext,
  unanswered: number,
  at: At,
  skip: Skip,
): Promise<void> {
  if (run.judgePanel.enabled) await judgeAndJoin(run, context, at)
  else {
    skip('judge', 'no judge panel is enabled')
    skip('summarize', 'the first summary already holds everything')
  }
  const expectation = expectationOf(run, context)
  await at('check_artifacts', async () => {
    const { problems, artifacts } = await validateArtifacts(run.files, expectation)
    if (problems.length > 0) throw new ArtifactsInvalidError(problems)
    return { result: null, note: `${artifacts.length} artifacts agree with each other` }
  })
  if (!run.publish || unanswered > 0) {
    skip('publish', run.publish ? `${plural(unanswered, 'cell')} without an answer` : 'not asked for')
    return
  }
  await at('publish', async () => {
    const outcome = await publish({
      ...expectation,
      root: run.experiment.root,
      datasetsFile: run.experiment.evaluation.datasets_file,
      files: run.files,
    })
    if (!outcome.ok) throw new ArtifactsInvalidError(outcome.problems)
    const notice = leftOverNotice(outcome.leftOver)
    if (notice !== null) run.emit({ type: 'notice', level: 'info', message: notice })
    for (const file of outcome.written) run.emit({ type: 'artifact.written', dataset_id: expectation.datasetId, file })
    return { result: null, note: `docs/results/${expectation.datasetId}.md` }
  })
}
