import { closeSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import type { IndexProblem, IndexVerification } from '../../contract/control/run-index/upkeep.ts'
import { readArtifacts, type Artifact } from './apply/artifact-store.ts'
import { supersededRowsOf } from '../evidence/rows/retried-rows.ts'
import { RowParser } from './apply/cell-record.ts'
import { scanFolders, stateOfOpen, type FoundFile, type ScannedFiles } from './folders/folder-scan.ts'
import { digestOf, hashPrefix } from './folders/followed-file.ts'
import { BlockReader, linesOf, nextTurn, openIfExists } from './threads/line-blocks.ts'
import { isDamage } from './open-database.ts'
import { INDEX_METRICS, stateCode, valueColumn } from './schema.ts'

const MAX_PROBLEMS = 100

interface IndexedRow {
  rowId: string
  offset: number
  length: number
}

/**
 * Compares the whole index with its files: the hash of every applied byte, each row's id, offset and length, the counts, and SQLite's own
 * check of the database. Reads only. Rejects with the signal's reason and the system's errors.
 */
export async function verifyIndex(
  db: Database.Database,
  scanned: ScannedFiles,
  signal: AbortSignal,
): Promise<IndexVerification> {
  const verifier = new Verifier(db, signal)
  try {
    await verifier.run(scanFolders(scanned).files)
  } catch (error) {
    if (!isDamage(error)) throw error
    verifier.found(null, 'damaged_index', (error as Error).message)
  }
  return verifier.report
}

class Verifier {
  readonly report: IndexVerification = { ok: true, files: 0, rows: 0, bytes: 0, problems: [], problem_count: 0 }
  readonly #db: Database.Database
  readonly #signal: AbortSignal

  constructor(db: Database.Database, signal: AbortSignal) {
    this.#db = db
    this.#signal = signal
  }

  async run(files: readonly FoundFile[]): Promise<void> {
    this.#checkDatabase()
    const known = new Map(readArtifacts(this.#db).map((artifact) => [artifact.path, artifact]))
    for (const { path } of files) {
      const artifact = known.get(path)
      if (artifact === undefined) this.found(path, 'not_indexed', 'the file is not indexed yet')
      else await this.#checkFile(artifact)
      known.delete(path)
    }
    for (const { path } of known.values())
      this.found(path, 'missing_file', 'the file is missing, its content is still indexed')
    this.#checkCounts()
  }

  found(path: string | null, code: IndexProblem['code'], message: string): void {
    this.report.ok = false
    this.report.problem_count += 1
    if (this.report.problems.length < MAX_PROBLEMS) this.report.problems.push({ path, code, message })
  }

  #checkDatabase(): void {
    const answers = this.#db.pragma('integrity_check(10)') as { integrity_check: string }[]
    for (const { integrity_check: answer } of answers) if (answer !== 'ok') this.found(null, 'damaged_index', answer)
  }

  async #checkFile(artifact: Artifact): Promise<void> {
    const { path, appliedBytes } = artifact
    const fd = openIfExists(path)
    if (fd === null) return
    try {
      this.report.files += 1
      this.report.bytes += appliedBytes
      const state = stateOfOpen(fd)
      if (artifact.state === 'damaged')
        this.found(path, 'damaged_file', `at byte ${artifact.damageOffset ?? 0}: ${artifact.damageMessage ?? ''}`)
      const hash = await hashPrefix(fd, appliedBytes, this.#signal)
      if (hash === null) {
        this.found(path, 'hash_differs', `it ends at byte ${state.sizeBytes}, but ${appliedBytes} bytes are indexed`)
        return
      }
      const isHashed = artifact.sha256 !== null
      if (isHashed && digestOf(hash) !== artifact.sha256)
        this.found(path, 'hash_differs', `its first ${appliedBytes} bytes are not those that are indexed`)
      else if (artifact.kind !== 'evidence' && state.sizeBytes !== appliedBytes)
        this.found(path, 'outdated', 'it was replaced since it was indexed')
      if (artifact.kind === 'evidence' && artifact.state !== 'copy')
        await this.#checkRows(artifact, fd, state.sizeBytes)
    } finally {
      closeSync(fd)
    }
  }

  async #checkRows(artifact: Artifact, fd: number, sizeBytes: number): Promise<void> {
    const { path, appliedBytes } = artifact
    const indexed = this.#db
      .prepare<[number], IndexedRow>(
        `SELECT lower(hex(row_id)) AS rowId, offset, length FROM cells
         WHERE scope = (SELECT id FROM dataset_runs WHERE owner = ?) ORDER BY offset`,
      )
      .all(artifact.id)
    const parser = new RowParser()
    const blocks = new BlockReader()
    const superseded = await supersededRowsOf(path, appliedBytes)
    let lines = 0
    let count = 0
    for (let from = 0; from < appliedBytes;) {
      const block = blocks.read(fd, { from, to: appliedBytes })
      if (block === null) break
      for (const { line, offset } of linesOf(block)) {
        const parsed = parser.parse(line)
        lines += 1
        if (parsed.ok && superseded.has(parsed.row.row_id)) continue
        const row = indexed[count]
        count += 1
        const differs =
          !parsed.ok || row?.rowId !== parsed.row.row_id || row.offset !== offset || row.length !== line.length
        if (!differs) continue
        this.found(path, 'rows_differ', `line ${lines} at byte ${offset} is not the indexed row`)
        return
      }
      from += block.bytes.length
      await nextTurn(this.#signal)
    }
    this.report.rows += lines
    if (count !== indexed.length || lines !== artifact.appliedLines)
      this.found(
        path,
        'counts_differ',
        `it has ${count} rows that count in its indexed bytes, the index has ${indexed.length}`,
      )
    if (artifact.state !== 'damaged' && blocks.read(fd, { from: appliedBytes, to: sizeBytes }) !== null)
      this.found(path, 'outdated', `complete rows after byte ${appliedBytes} are not indexed yet`)
  }

  /** Compares the counts that are stored beside the cells with the cells. */
  #checkCounts(): void {
    const wrong = this.#db
      .prepare<[], { run_id: string; dataset_id: string; what: string }>(
        `WITH counted AS (
           SELECT scope, sum(status = 0) AS ok, sum(status = 1) AS error, sum(status = 2) AS timeout FROM cells GROUP BY scope
         ), asked AS (
           SELECT scope, count(*) AS n FROM dataset_run_questions GROUP BY scope
         )
         SELECT r.run_id, s.dataset_id,
           CASE WHEN d.questions <> coalesce(asked.n, 0) THEN 'questions' ELSE 'cells' END AS what
         FROM dataset_runs d JOIN runs r ON r.id = d.run JOIN datasets s ON s.id = d.dataset
         LEFT JOIN counted ON counted.scope = d.id LEFT JOIN asked ON asked.scope = d.id
         WHERE d.ok <> coalesce(counted.ok, 0) OR d.error <> coalesce(counted.error, 0)
           OR d.timeout <> coalesce(counted.timeout, 0) OR d.questions <> coalesce(asked.n, 0)`,
      )
      .all()
    for (const { run_id, dataset_id, what } of wrong)
      this.found(null, 'counts_differ', `run ${run_id}, dataset ${dataset_id}: the count of ${what} is wrong`)
    const cells = this.#db.prepare<[], number>('SELECT count(*) FROM cells').pluck().get()!
    const tallied = this.#db.prepare<[], number>('SELECT coalesce(sum(cells), 0) FROM cell_tallies').pluck().get()!
    if (cells !== tallied) this.found(null, 'counts_differ', `${tallied} cells are tallied, there are ${cells}`)
    this.#checkColumns()
    const answers = this.#db.prepare<[], number>('SELECT count(*) FROM cells WHERE answer_chars > 0').pluck().get()!
    const searchable = this.#db.prepare<[], number>('SELECT count(*) FROM answer_text').pluck().get()!
    if (answers !== searchable)
      this.found(null, 'counts_differ', `${searchable} answers are searchable, there are ${answers}`)
  }

  /** By alias and metric: cells, and cells with a value. */
  #checkColumns(): void {
    const counted = this.#db.prepare<[], ColumnCount>(countedColumns).all()
    const tallied = this.#db
      .prepare<[], ColumnCount>(
        `SELECT scope, alias, metric, sum(cells) AS cells, sum(iif(state = ${stateCode('ok')}, cells, 0)) AS n
         FROM column_tallies GROUP BY scope, alias, metric`,
      )
      .all()
    const known = new Map(tallied.map((column) => [columnName(column), column]))
    const isOff = counted.some((column) => {
      const tally = known.get(columnName(column))
      return tally?.cells !== column.cells || tally.n !== column.n
    })
    if (isOff || counted.length !== tallied.length)
      this.found(null, 'counts_differ', 'the counts of a column are not those of its cells')
  }
}

interface ColumnCount {
  scope: number
  alias: number
  metric: IndexMetric
  cells: number
  n: number
}

const columnName = ({ scope, alias, metric }: ColumnCount): string => `${scope} ${alias} ${metric}`

const countedColumns = INDEX_METRICS.map(
  (metric) =>
    `SELECT c.scope, c.alias, '${metric}' AS metric, count(*) AS cells, count(c.${valueColumn(metric)}) AS n
     FROM cells c GROUP BY c.scope, c.alias`,
).join(' UNION ALL ')
