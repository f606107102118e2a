import type { MissingColumn } from '../../../contract/evidence/missing-column.ts'
import { isOwnDataset, OWN_IS_NOT_PUBLISHED } from '../../manifests/datasets/own-datasets.ts'
import { digestsToPublish } from '../../manifests/project/published-age.ts'
import { leftOverNotice, publish } from '../../report/publication/publish.ts'
import type { RunSummaryContext } from '../../report/aggregate/run-summary.ts'
import {
  validateArtifacts,
  type ArtifactExpectation,
  type ArtifactProblem,
} from '../../report/publication/validate-artifacts.ts'
import { readAggregate } from '../../report/publication/write-artifacts.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { joinJudgments, judgeDataset } from './judge-dataset.ts'
import { failureOf, type At, type Skip, type StepFailedError } from '../ladder-step.ts'
import type { Unfinished } from './sum-up-cells.ts'
import { plural } from '../../../contract/words.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

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

/** Returns how many rows the evidence must hold when every cell of the selection has been made. */
function expectationOf(run: DatasetRun): ArtifactExpectation {
  return {
    runId: run.runId,
    datasetId: run.dataset.dataset.id,
    expectedCells: run.aliases.length * run.dataset.questions.length * run.repeats,
  }
}

/** A stopped panel stops the run; anything else that keeps the judges from grading concerns the judge section alone. */
const isTolerated = (cause: unknown): boolean => !(cause instanceof Error && cause.name === 'AbortError')

/** Describes what became of the judges: those without a verdict, and why they could not be asked at all. */
interface Judging {
  missing: MissingColumn[]
  failure: StepFailedError | null
}

/** Steps 9 and 10. Whatever the panel returns, the other sections of the summary stay as they are. */
async function judgeAndJoin(run: DatasetRun, context: RunSummaryContext, at: At): Promise<Judging> {
  let missing: MissingColumn[] = []
  const failure = await failureOf(
    at('judge', async () => {
      const judged = await judgeDataset(run, context)
      missing = judged.missing
      return { result: null, note: judged.note, missing }
    }),
    isTolerated,
  )
  await at('summarize', async () => ({ result: null, note: await joinJudgments(run.files, context) }))
  return { missing, failure }
}

/** Why the panel is not asked; null when it is. Verdicts cost money, and those of a run without all of its answers are made again later. */
function whyNotJudged({ judgePanel, runId }: DatasetRun, unanswered: number): string | null {
  if (!judgePanel.enabled) return 'no judge panel is enabled'
  if (unanswered === 0) return null
  const remedy = remedyFor({
    panel: 'choose Judge answers… in the tab Judges of the run',
    commandLine: `rag-ladder judge run --run-id ${runId}`,
  })
  return `${plural(unanswered, 'answer')} failed, so no judge was asked; to judge the others as they are: ${remedy}`
}

/** Steps 9 to 12: judges, final summary, validation, publication. A judge without a verdict is missing; a panel that could not be asked is a failure. */
export async function finishDataset(
  run: DatasetRun,
  context: RunSummaryContext,
  { unanswered }: Pick<Unfinished, 'unanswered'>,
  at: At,
  skip: Skip,
): Promise<Judging> {
  let judging: Judging = { missing: [], failure: null }
  const why = whyNotJudged(run, unanswered)
  if (why === null) judging = await judgeAndJoin(run, context, at)
  else {
    skip('judge', why)
    skip('summarize', 'the first summary already holds everything')
  }
  const expectation = expectationOf(run)
  await at('check_artifacts', async () => {
    const { problems, artifacts } = await validateArtifacts(run.files, expectation)
    const isJudged = why === null && judging.failure === null
    const others = isJudged || !run.judgePanel.enabled ? problems : problems.filter(({ code }) => code !== 'judges')
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
          ? `${plural(unanswered, 'answer')} failed`
          : judging.failure !== null
            ? 'the judge panel failed'
            : null
  if (reason !== null) {
    skip('publish', reason)
    return judging
  }
  await at('publish', async () => {
    const { experiment, dataset, files } = run
    const aggregate = await readAggregate(files.evaluation)
    const outcome = await publish({
      ...expectation,
      root: experiment.root,
      datasetsFile: experiment.evaluation.datasets_file,
      files,
      madeBy: aggregate === null ? undefined : await digestsToPublish(experiment, dataset, aggregate),
    })
    if (!outcome.ok) throw new ArtifactsInvalidError(outcome.problems)
    const notice = leftOverNotice(outcome.leftOver)
    if (notice !== null) run.emit({ type: 'notice', level: 'info', message: notice })
    for (const file of outcome.written) run.emit({ type: 'artifact.written', dataset_id: expectation.datasetId, file })
    return { result: null, note: `docs/results/${expectation.datasetId}.md` }
  })
  return judging
}
