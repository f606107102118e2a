import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { z } from 'zod'
import { Aggregate, aggregateWithCurrentNames, CanonicalRow, describeIssues, Matrix } from '../../contract/index.ts'
import { rowId, rowKeyOf } from '../evidence/row-id.ts'
import { firstDifference } from '../evidence/row-identity.ts'
import { aggregateText, createAggregator } from './aggregate-run.ts'
import type { ArtifactFiles, ArtifactKind } from '../evidence/artifact-files.ts'
import { hashFile } from '../lib/hash-file.ts'
import { readEvidenceRows } from './read-evidence.ts'
import { ReportError, type ReportErrorCode } from './report-error.ts'
import { createMatrixBuilder, matrixText } from './to-matrix.ts'
import { contextAgain, matrixOrder } from './write-artifacts.ts'
import { plural } from '../../contract/words.ts'

/** Something that forbids publication; `file` is the artifact's name. */
export interface ArtifactProblem {
  file: string
  code: 'missing' | 'credential' | 'schema' | 'other_run' | 'cell_count' | 'differs' | 'judges' | ReportErrorCode
  message: string
}

/** An artifact as it was when it was checked. */
export interface CheckedArtifact {
  kind: ArtifactKind
  path: string
  sha256: string
  sizeBytes: number
}

export interface ArtifactExpectation {
  runId: string
  datasetId: string
  /** Selected questions × callable aliases × repetitions: so many rows must exist, answered or failed. */
  expectedCells: number
}

export interface ArtifactReport {
  /** Empty when the artifacts may be published. */
  problems: ArtifactProblem[]
  artifacts: CheckedArtifact[]
  /** Null when there are problems. */
  checked: { aggregate: Aggregate; matrix: Matrix } | null
}

/**
 * Step 11 of the ladder: the artifacts exist (judgments only when judges ran), match their schemas, belong to one run, dataset and
 * ingestion, and matrix and aggregate are, byte for byte, what the evidence gives when it is summed up again. Never throws for what
 * is in the files.
 */
export async function validateArtifacts(
  files: ArtifactFiles,
  expectation: ArtifactExpectation,
): Promise<ArtifactReport> {
  const check = new ArtifactCheck(files, expectation)
  await check.run()
  const clean = check.problems.length === 0 && check.aggregate !== null && check.matrix !== null
  return {
    problems: check.problems,
    artifacts: check.artifacts,
    checked: clean ? { aggregate: check.aggregate!, matrix: check.matrix! } : null,
  }
}

/** A broken file repeats its problems: more than this add nothing. */
const MAX_PROBLEMS = 20

class ArtifactCheck {
  readonly problems: ArtifactProblem[] = []
  readonly artifacts: CheckedArtifact[] = []
  aggregate: Aggregate | null = null
  matrix: Matrix | null = null
  readonly #files: ArtifactFiles
  readonly #expectation: ArtifactExpectation

  constructor(files: ArtifactFiles, expectation: ArtifactExpectation) {
    this.#files = files
    this.#expectation = expectation
  }

  async run(): Promise<void> {
    // One after the other: their order is seen in the report.
    let present = true
    for (const kind of ['evidence', 'evaluation', 'matrix'] as const) present = (await this.#hash(kind)) && present
    if (!present) return
    const aggregate = await this.#read('evaluation', Aggregate)
    const matrix = await this.#read('matrix', Matrix)
    if (aggregate === null || matrix === null) return
    await this.#checkJudges(aggregate)
    await this.#checkAgainstEvidence(aggregate, matrix)
    this.aggregate = aggregate
    this.matrix = matrix
  }

  #problem(kind: ArtifactKind, code: ArtifactProblem['code'], message: string): void {
    this.problems.push({ file: basename(this.#files[kind]), code, message })
  }

  async #hash(kind: ArtifactKind): Promise<boolean> {
    const path = this.#files[kind]
    try {
      this.artifacts.push({ kind, path, ...(await hashFile(path)) })
      return true
    } catch (error) {
      const absent = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#problem(kind, absent ? 'missing' : 'unreadable', absent ? 'the file is missing' : String(error))
      return false
    }
  }

  async #read<Value>(kind: 'evaluation' | 'matrix', schema: z.ZodType<Value>): Promise<Value | null> {
    let value: unknown
    try {
      value = JSON.parse(await readFile(this.#files[kind], 'utf8'))
    } catch {
      this.#problem(kind, 'schema', 'not JSON')
      return null
    }
    const parsed = schema.safeParse(kind === 'evaluation' ? aggregateWithCurrentNames(value) : value)
    if (parsed.success) return parsed.data
    this.#problem(kind, 'schema', describeIssues(parsed.error).slice(0, 5).join('; '))
    return null
  }

  async #checkJudges({ judge_panel }: Aggregate): Promise<void> {
    const { status } = judge_panel
    if (status === 'pending') this.#problem('evaluation', 'judges', 'the judges have not been asked yet')
    else if (status === 'error') this.#problem('judgments', 'judges', judge_panel.message)
    else if (status !== 'disabled') await this.#hash('judgments')
  }

  async #checkAgainstEvidence(stored: Aggregate, matrix: Matrix): Promise<void> {
    const { runId, datasetId, expectedCells } = this.#expectation
    if (stored.run_id !== runId || stored.dataset.id !== datasetId) {
      this.#problem('evaluation', 'other_run', `it is of run ${stored.run_id}, dataset ${stored.dataset.id}`)
      return
    }
    const context = await contextAgain(stored, this.#files)
    const aggregator = createAggregator(context)
    const builder = createMatrixBuilder({
      runId,
      datasetId,
      models: [],
      questionIds: [],
      repeats: stored.repeats,
    })
    try {
      for await (const row of readEvidenceRows(this.#files.evidence)) {
        if (this.problems.length >= MAX_PROBLEMS) return
        if (!this.#validRow(row)) continue
        aggregator.add(row)
        builder.add(row)
      }
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      this.#problem('evidence', error.code, error.message)
      return
    }
    const again = await aggregator.finish()
    this.#checkCount(again, expectedCells)
    this.#compare('evaluation', [aggregateText(again)], stored, again)
    const matrixAgain = builder.finish(matrixOrder(again))
    this.#compare('matrix', matrixText(matrixAgain), matrix, matrixAgain)
  }

  #validRow(row: CanonicalRow): boolean {
    const parsed = CanonicalRow.safeParse(row)
    const wrong = parsed.success ? wrongId(row) : describeIssues(parsed.error).slice(0, 3).join('; ')
    if (wrong === null) return true
    this.#problem('evidence', 'schema', `row ${row.row_id}: ${wrong}`)
    return false
  }

  #checkCount({ approaches }: Aggregate, expectedCells: number): void {
    const rows = approaches
      .filter((approach) => approach.selected)
      .reduce((sum, { cells }) => sum + cells.ok + cells.error + cells.timeout, 0)
    if (rows !== expectedCells)
      this.#problem(
        'evidence',
        'cell_count',
        `${plural(rows, 'row')} of selected cells, where ${plural(expectedCells, 'cell')} ought to have one`,
      )
  }

  #compare(kind: 'evaluation' | 'matrix', text: Iterable<string>, stored: unknown, again: unknown): void {
    const hash = createHash('sha256')
    for (const part of text) hash.update(part)
    if (hash.digest('hex') === this.artifacts.find((artifact) => artifact.kind === kind)?.sha256) return
    const difference = firstDifference(stored, again)
    const what =
      difference === null
        ? 'the same values in other bytes'
        : `${difference.path} is ${difference.stored}, the evidence gives ${difference.current}`
    this.#problem(kind, 'differs', `not what the evidence gives: ${what}`)
  }
}

function wrongId(row: CanonicalRow): string | null {
  return rowId(rowKeyOf(row)) === row.row_id ? null : `row_id is not the id of this cell`
}
