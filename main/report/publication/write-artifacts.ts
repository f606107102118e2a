import { readFile } from 'node:fs/promises'
import type { Aggregate, JudgeSection, LookLedger } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { aggregateText, createAggregator } from '../aggregate/aggregate-run.ts'
import { parseAggregate, type StoredAggregate } from '../aggregate/stored-aggregate.ts'
import type { ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { readJudgments, readJudgmentsIfThere, type JudgeInput } from '../aggregate/judge-input.ts'
import { readFigureRows } from '../read-evidence.ts'
import { summaryContextFromRows, summaryContextOf, type RunSummaryContext } from '../aggregate/run-summary.ts'
import { MatrixSpool } from '../matrix/matrix-spool.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { readSealedJson, sealedJson } from '../../lib/files/sealed-json.ts'
import { writeAtomic, type WrittenFile } from '../../lib/files/write-atomic.ts'

/** The column order of a matrix beside this aggregate: the selected approaches, then others by name. */
export const matrixOrder = ({ approaches, questions }: Aggregate): { models: string[]; questionIds: string[] } => ({
  models: approaches.filter(({ selected }) => selected).map(({ model }) => model),
  questionIds: questions.map(({ id }) => id),
})

/**
 * Writes `-evaluation.json` and `-matrix.json` from the evidence in one pass over its rows, each whole or not at all. Memory does not grow with
 * the length of the answers. Run once with the judges pending and again when their file exists: the matrix keeps its bytes. Throws `ReportError`
 * and the disk's errors.
 */
export async function writeArtifacts(
  files: ArtifactFiles,
  rows: AsyncIterable<CanonicalRow>,
  context: RunSummaryContext,
): Promise<{ aggregate: Aggregate; written: WrittenFile[] }> {
  if (context.judge.state === 'read') await sealJudgments(files.judgments)
  const aggregator = createAggregator({ ...context, looks: await knownLooks(files.evaluation, context.looks) })
  const matrix = await MatrixSpool.open(files.matrix, {
    runId: context.runId,
    datasetId: context.datasetId,
    models: context.aliases?.map((alias) => alias.model) ?? [],
    questionIds: context.questions?.map((question) => question.id) ?? [],
    repeats: context.repeats,
  })
  try {
    for await (const row of rows) {
      aggregator.add(row)
      await matrix.add(row)
    }
    const aggregate = await aggregator.finish()
    const written = [
      await matrix.write(matrixOrder(aggregate)),
      await writeAtomic(files.evaluation, aggregateText(aggregate)),
    ]
    return { aggregate, written }
  } finally {
    await matrix.close()
  }
}

/** The panel writes its file before there is a summary of it: both are sealed together. */
async function sealJudgments(file: string): Promise<void> {
  const text = await orIfMissing(readFile(file, 'utf8'), null)
  if (text !== null && readSealedJson(text)?.seal === 'absent') await writeAtomic(file, sealedJson(text))
}

/** The looks that the stored result of the run has recorded; a run that is made again has none. */
async function knownLooks(file: string, looks: LookLedger | undefined): Promise<LookLedger | undefined> {
  if (looks === undefined || looks.seen.length > 0) return looks
  return (await readAggregate(file))?.looks ?? looks
}

/** The context of a stored aggregate, with the judgments of today where the run had or awaited judges. */
export async function contextAgain(aggregate: Aggregate, files: ArtifactFiles): Promise<RunSummaryContext> {
  return summaryContextOf(aggregate, await judgesAgain(aggregate.judge_panel, files.judgments))
}

async function judgesAgain(section: JudgeSection, file: string): Promise<JudgeInput> {
  if (section.status === 'disabled') return { state: 'disabled' }
  if (section.status !== 'pending') return readJudgments(file)
  return readJudgmentsIfThere(file, { state: 'pending', judges: section.judges })
}

/** Reads an `-evaluation.json`. Rejects with the system's error for a file that cannot be read. */
export async function readStoredAggregate(file: string): Promise<StoredAggregate> {
  return parseAggregate(await readFile(file, 'utf8'))
}

/** A stored aggregate; null when the file is missing or is none. */
export async function readAggregate(file: string): Promise<Aggregate | null> {
  const read = await orIfMissing(readStoredAggregate(file), null)
  return read?.ok === true ? read.aggregate : null
}

/**
 * Sums up the evidence of a finished run again, in the context that its stored aggregate keeps (read here unless the caller has), or from the
 * rows alone where there is none. Throws `ReportError`.
 */
export async function summarizeRun(
  files: ArtifactFiles,
  runId: string,
  datasetId: string,
  known?: Aggregate | null,
): Promise<Aggregate> {
  const stored = known === undefined ? await readAggregate(files.evaluation) : known
  const context =
    stored === null
      ? {
          ...summaryContextFromRows(runId, datasetId),
          judge: await readJudgmentsIfThere(files.judgments, { state: 'disabled' }),
        }
      : await contextAgain(stored, files)
  const aggregator = createAggregator(context)
  for await (const rows of readFigureRows(files.evidence)) for (const row of rows) aggregator.add(row)
  return aggregator.finish()
}
