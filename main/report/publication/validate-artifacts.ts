import { createHash, hash } from 'node:crypto'
import { basename } from 'node:path'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { describeIssues } from '../../../core/issues.ts'
import { EvidenceError } from '../../evidence/errors.ts'
import { identityPathFor, readRecord } from '../../evidence/rows/identity-record.ts'
import { rowId, rowKeyOf } from '../../evidence/rows/row-id.ts'
import { firstDifference, type Difference } from '../../evidence/rows/row-identity.ts'
import { conflictsWith, RowKinds } from '../../evidence/rows/conditions.ts'
import { identityOfRow } from '../../evidence/rows/run-identity.ts'
import { aggregateText, createAggregator, unsealedAggregateText } from '../aggregate/aggregate-run.ts'
import type { ArtifactFiles, ArtifactKind } from '../../evidence/files/artifact-files.ts'
import { hashFile } from '../../lib/files/hash-file.ts'
import { matrixDifference } from '../matrix/compare-matrix.ts'
import { MatrixSpool } from '../matrix/matrix-spool.ts'
import { readEvidenceRows } from '../read-evidence.ts'
import { verdictsProblem } from './verdicts-problem.ts'
import { ReportError, type ReportErrorCode } from '../report-error.ts'
import { createMatrixOrder, matrixCell, type FailedCell, type MatrixFrame } from '../matrix/matrix-form.ts'
import { contextAgain, matrixOrder, readStoredAggregate } from './write-artifacts.ts'
import { countWords, plural } from '../../../contract/words.ts'

/** Something that forbids publication; `file` is the artifact's name. */
export interface ArtifactProblem {
  file: string
  code: 'missing' | 'credential' | 'schema' | 'other_run' | 'cell_count' | 'differs' | 'judges' | ReportErrorCode
  message: string
}

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

/** Describes what the evidence gives. */
interface CheckedRun {
  aggregate: Aggregate
  /** The matrix's cells without an answer, in its order. */
  failed: readonly FailedCell[]
}

export interface ArtifactReport {
  /** Empty when the artifacts may be published. */
  problems: ArtifactProblem[]
  artifacts: CheckedArtifact[]
  /** Null when there are problems. */
  checked: CheckedRun | null
}

/**
 * Step 11 of the ladder: the artifacts exist (judgments only when judges ran), match their schemas, belong to one run, dataset and
 * ingestion, and matrix and aggregate are, byte for byte, what the evidence gives when it is summed up again. The matrix is never in memory as a whole:
 * what the evidence gives waits in a temporary file beside it. Never throws for what is in the files.
 */
export async function validateArtifacts(
  files: ArtifactFiles,
  expectation: ArtifactExpectation,
): Promise<ArtifactReport> {
  const check = new ArtifactCheck(files, expectation)
  await check.run()
  return {
    problems: check.problems,
    artifacts: check.artifacts,
    checked: check.problems.length === 0 ? check.checked : null,
  }
}

/** A broken file repeats its problems: more than this add nothing. */
const MAX_PROBLEMS = 20

class ArtifactCheck {
  readonly problems: ArtifactProblem[] = []
  readonly artifacts: CheckedArtifact[] = []
  checked: CheckedRun | null = null
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
    const aggregate = await this.#readAggregate()
    if (aggregate === null) return
    await this.#checkJudges(aggregate)
    const failed = await this.#checkAgainstEvidence(aggregate)
    this.checked = failed === null ? null : { aggregate, failed }
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

  async #readAggregate(): Promise<Aggregate | null> {
    const stored = await readStoredAggregate(this.#files.evaluation)
    if (stored.ok) return stored.aggregate
    this.#problem('evaluation', 'schema', stored.issues.slice(0, 5).join('; '))
    return null
  }

  async #checkJudges({ judge_panel }: Aggregate): Promise<void> {
    const { status } = judge_panel
    if (status === 'pending') this.#problem('evaluation', 'judges', 'the judges have not been asked yet')
    else if (status === 'error' && judge_panel.reason !== 'panel_failed')
      this.#problem('judgments', 'judges', judge_panel.message)
    else if (status !== 'disabled' && (await this.#hash('judgments'))) {
      const problem = await verdictsProblem(this.#files.judgments)
      if (problem !== null) this.#problem('judgments', 'differs', problem)
    }
  }

  /** The record beside the evidence, of earlier runs missing: what a row must have been made under. */
  async #readIdentity(): Promise<RunIdentity | null> {
    try {
      return await readRecord(this.#files.evidence)
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error
      this.#identityProblem(error.message)
      return null
    }
  }

  #identityProblem(message: string): void {
    this.problems.push({ file: basename(identityPathFor(this.#files.evidence)), code: 'differs', message })
  }

  /** Returns true where the record agrees with a row. One row of each kind is checked, because a failed row binds less than an answer. */
  #hasIdentityOf(identity: RunIdentity, row: CanonicalRow): boolean {
    const { run_id, dataset_id } = identityOfRow(row)
    const recorded = { run_id: identity.run_id, dataset_id: identity.dataset_id }
    // Parsed as the record is: what an earlier version did not record is the same in both.
    const parsed = { ...row, reproducibility: Reproducibility.parse(row.reproducibility) }
    const [conflict] = conflictsWith(parsed, identity.reproducibility)
    const difference = firstDifference({ run_id, dataset_id }, recorded) ?? conflict
    if (difference === undefined) return true
    this.#identityProblem(
      `not the conditions of the rows: ${difference.path} is ${difference.current}, row ${row.row_id} has ${difference.stored}`,
    )
    return false
  }

  /** The failed cells; null where the rows cannot be summed up. */
  async #checkAgainstEvidence(stored: Aggregate): Promise<FailedCell[] | null> {
    const { runId, datasetId, expectedCells } = this.#expectation
    if (stored.run_id !== runId || stored.dataset.id !== datasetId) {
      this.#problem('evaluation', 'other_run', `it is of run ${stored.run_id}, dataset ${stored.dataset.id}`)
      return null
    }
    const frame: MatrixFrame = { runId, datasetId, models: [], questionIds: [], repeats: stored.repeats }
    const failed = createMatrixOrder<FailedCell>(frame)
    const spool = await MatrixSpool.open(this.#files.matrix, frame)
    try {
      const again = await this.#sumUpAgain(stored, spool, (row) => {
        const cell = matrixCell(row)
        if (!cell.ok) failed.add(row, () => cell)
      })
      if (again === null) return null
      this.#checkCount(again, expectedCells)
      this.#compareAggregate(stored, again)
      await this.#compareMatrix(spool, again)
      return failed.finish(matrixOrder(again)).cells
    } finally {
      await spool.close()
    }
  }

  /** Null where the evidence has a problem that ends its reading. */
  async #sumUpAgain(
    stored: Aggregate,
    spool: MatrixSpool,
    onRow: (row: CanonicalRow) => void,
  ): Promise<Aggregate | null> {
    const aggregator = createAggregator(await contextAgain(stored, this.#files))
    let identity = await this.#readIdentity()
    const [kinds, checked] = [new RowKinds(), new Set<string>()]
    try {
      for await (const row of readEvidenceRows(this.#files.evidence)) {
        if (this.problems.length >= MAX_PROBLEMS) return null
        if (!this.#validRow(row)) continue
        if (
          identity !== null &&
          checked.size < checked.add(kinds.keyOf(row)).size &&
          !this.#hasIdentityOf(identity, row)
        )
          identity = null
        aggregator.add(row)
        await spool.add(row)
        onRow(row)
      }
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      this.#problem('evidence', error.code, error.message)
      return null
    }
    return aggregator.finish()
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
        `${plural(rows, 'row')} of the selected approaches, expected ${countWords(expectedCells)}`,
      )
  }

  #hashOf(kind: ArtifactKind): string | undefined {
    return this.artifacts.find((artifact) => artifact.kind === kind)?.sha256
  }

  #compareAggregate(stored: Aggregate, again: Aggregate): void {
    const texts = [aggregateText(again), unsealedAggregateText(again)]
    if (texts.some((text) => hash('sha256', text) === this.#hashOf('evaluation'))) return
    this.#differs('evaluation', firstDifference(stored, again))
  }

  async #compareMatrix(spool: MatrixSpool, again: Aggregate): Promise<void> {
    const order = matrixOrder(again)
    const digest = createHash('sha256')
    for await (const part of spool.text(order)) digest.update(part)
    if (digest.digest('hex') === this.#hashOf('matrix')) return
    const found = await matrixDifference(this.#files.matrix, spool.text(order))
    if (found.code === 'schema') this.#problem('matrix', 'schema', found.message)
    else this.#differs('matrix', found.difference)
  }

  #differs(kind: 'evaluation' | 'matrix', difference: Difference | null): void {
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
