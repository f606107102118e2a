import { existsSync } from 'node:fs'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import type { MissingColumn } from '../../../contract/evidence/missing-column.ts'
import { plural, scoreWords } from '../../../contract/words.ts'
import { missingJudges, missingWords } from '../../../core/evidence/missing-columns.ts'
import type { ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { needsPlatformGateway, type PlatformGateway } from '../../judge/create-judges.ts'
import { runJudgePanel } from '../../judge/run-panel.ts'
import { readJudgments } from '../../report/aggregate/judge-input.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { summaryContextFromRows, summaryContextOf, type RunSummaryContext } from '../../report/aggregate/run-summary.ts'
import { pacesFolder } from '../../manifests/models/model-records.ts'
import { storedAnswers } from '../../report/stored-answers.ts'
import { readAggregate, writeArtifacts } from '../../report/publication/write-artifacts.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { rotationsOf } from './panel-rotations.ts'

interface Judged {
  judgments: Judgments
  /** Judges without a verdict. */
  missing: MissingColumn[]
  /** Sums up the panel in one line. */
  note: string
}

/**
 * Step 9: asks the panel about the stored answers of a dataset run. The platform is started only for judges that are called through its gateway,
 * and stopped again. Throws `JudgePanelError`, `JudgePanelStoppedError`, `ReportError` and what keeps a platform from starting.
 */
export async function judgeDataset(
  run: DatasetRun,
  context: Pick<RunSummaryContext, 'aliases' | 'questions'>,
): Promise<Judged> {
  const { experiment, dataset, runId, files, judgePanel } = run
  const datasetId = dataset.dataset.id
  const input = await storedAnswers(files, {
    runId,
    datasetId,
    models: context.aliases?.map(({ model }) => model) ?? null,
    questionIds: context.questions?.map(({ id }) => id) ?? null,
  })
  const panel = { ...judgePanel, rotations: await rotationsOf(judgePanel, files.judgments) }
  const ask = async (gateway: PlatformGateway | null): Promise<Judgments> => {
    const { judgments } = await runJudgePanel(input, {
      panel,
      gateway,
      aliases: [...experiment.aliases.keys()],
      seed: experiment.evaluation.run.seed,
      file: files.judgments,
      concurrency: experiment.evaluation.run.concurrency,
      pacesDir: pacesFolder(experiment.root),
      onProgress: (progress) => run.emit({ type: 'judge.progressed', dataset_id: datasetId, ...progress }),
      onNotice: (message) => run.emit({ type: 'notice', level: 'warning', message }),
      drain: run.drain,
      abort: run.abort,
    })
    return judgments
  }
  const judgments = needsPlatformGateway(panel) ? await throughPlatform(run, ask) : await ask(null)
  const missing = missingJudges(judgments)
  const note = describePanel(judgments)
  return { judgments, missing, note: missing.length === 0 ? note : `${missingWords(missing)}; ${note}` }
}

async function throughPlatform<Result>(
  { platform, dataset, drain, abort }: DatasetRun,
  use: (gateway: PlatformGateway) => Promise<Result>,
): Promise<Result> {
  const started = await platform.start(dataset.profile.name, AbortSignal.any([drain, abort]))
  try {
    return await use(started)
  } finally {
    await started.stop()
  }
}

/** Returns what a panel came to, in one line: verdicts, what is missing, and how far the judges agree. */
function describePanel({ judges, queries, errors = [], blocked = [], withheld = [], panel }: Judgments): string {
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

/** The selection of a stored run as its summary keeps it, or as the rows record it. */
export async function storedContext(
  files: ArtifactFiles,
  runId: string,
  datasetId: string,
): Promise<RunSummaryContext> {
  const aggregate = await readAggregate(files.evaluation)
  return aggregate === null
    ? summaryContextFromRows(runId, datasetId)
    : summaryContextOf(aggregate, { state: 'disabled' })
}

/** Writes the summary with the judges joined in, and returns what became of them; an old result may have nothing left but the matrix. */
export async function joinJudgments(files: ArtifactFiles, context: RunSummaryContext): Promise<string> {
  if (!existsSync(files.evidence)) return 'judge section: no evidence'
  const judge = await readJudgments(files.judgments)
  const { aggregate } = await writeArtifacts(files, readEvidenceRows(files.evidence), { ...context, judge })
  return `judge section: ${aggregate.judge_panel.status}`
}
