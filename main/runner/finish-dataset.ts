import type { Judgments } from '../../contract/index.ts'
import { JudgePanelError } from '../judge/judge-error.ts'
import { readJudgments } from '../report/judge-input.ts'
import { isOwnDataset, OWN_IS_NOT_PUBLISHED } from '../manifests/own-datasets.ts'
import { leftOverNotice, publish } from '../report/publish.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import type { RunSummaryContext } from '../report/run-summary.ts'
import { validateArtifacts, type ArtifactExpectation, type ArtifactProblem } from '../report/validate-artifacts.ts'
import { writeArtifacts } from '../report/write-artifacts.ts'
import type { DatasetRun } from './dataset-run.ts'
import { judgeDataset } from './judge-dataset.ts'
import { failureOf, type At, type Skip, type StepFailedError } from './ladder-step.ts'
import type { Unfinished } from './sum-up-cells.ts'
import { plural } from '../../contract/words.ts'

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
function expectationOf(run: DatasetRun): ArtifactExpectation {
  return {
    runId: run.runId,
    datasetId: run.dataset.dataset.id,
    expectedCells: run.aliases.length * run.dataset.questions.length * run.repeats,
  }
}

/** A stopped panel stops the run; anything else that keeps the judges from grading concerns the judge section alone. */
const isTolerated = (cause: unknown): boolean => !(cause instanceof Error && cause.name === 'AbortError')

/** Steps 9 and 10. Whatever the panel returns, the other sections of the summary stay as they are. Returns the panel's failure. */
async function judgeAndJoin(run: DatasetRun, context: RunSummaryContext, at: At): Promise<StepFailedError | null> {
  const failure = await failureOf(
    at('judge', async () => {
      const { judgments, note } = await judgeDataset(run, context)
      if (judgments.status === 'error') throw panelFailed(judgments)
      return { result: null, note }
    }),
    isTolerated,
  )
  await at('summarize', async () => {
    const judge = await readJudgments(run.files.judgments)
    const { aggregate } = await writeArtifacts(run.files, readEvidenceRows(run.files.evidence), { ...context, judge })
    return { result: null, note: `judge section: ${aggregate.judge_panel.status}` }
  })
  return failure
}

function panelFailed({ dataset_id, errors = [], blocked = [] }: Judgments): JudgePanelError {
  const [first] = errors
  const cause =
    first !== undefined
      ? `${first.judge} on ${first.query_id}: ${first.message}`
      : `${plural(blocked.length, 'question')} would have shown the judges whose answer they read`
  return new JudgePanelError(
    'panel_failed',
    `${dataset_id}: no judge gave a verdict: ${cause}. The cells and their figures are kept; judge them with rag-ladder judge run.`,
  )
}

/** Steps 9 to 12: judges, final summary, validation, publication. Returns the failure of a judge panel that graded nothing. */
export async function finishDataset(
  run: DatasetRun,
  context: RunSummaryContext,
  { unanswered, evaluation }: Unfinished,
  at: At,
  skip: Skip,
): Promise<StepFailedError | null> {
  let judging: StepFailedError | null = null
  if (run.judgePanel.enabled) judging = await judgeAndJoin(run, context, at)
  else {
    skip('judge', 'no judge panel is enabled')
    skip('summarize', 'the first summary already holds everything')
  }
  const expectation = expectationOf(run)
  await at('check_artifacts', async () => {
    const { problems, artifacts } = await validateArtifacts(run.files, expectation)
    const others = judging === null ? problems : problems.filter(({ code }) => code !== 'judges')
    if (others.length > 0) throw new ArtifactsInvalidError(others)
    return { result: null, note: `${artifacts.length} artifacts agree with each other` }
  })
  const reason = !run.publish
    ? 'not requested'
    : isOwnDataset(run.dataset)
      ? OWN_IS_NOT_PUBLISHED
      : (run.unavailable ?? []).length > 0
        ? `${plural(run.unavailable!.length, 'approach')} could not answer`
        : unanswered > 0
          ? `${plural(unanswered, 'cell')} without an answer`
          : evaluation !== null
            ? 'no answer could be evaluated'
            : judging !== null
              ? 'the judge panel failed'
              : null
  if (reason !== null) {
    skip('publish', reason)
    return judging
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
  return null
}
