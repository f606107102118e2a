import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { IndexChange, IndexVerification } from '../../contract/control/run-index/upkeep.ts'
import { IndexSession } from '../../main/run-index/index-session.ts'
import { IndexWriter } from '../../main/run-index/index-writer.ts'
import { openForWriting } from '../../main/run-index/open-database.ts'
import { verifyIndex } from '../../main/run-index/verify-index.ts'

const signal = new AbortController().signal

export interface IndexBench {
  /** Folder for artifacts. */
  results: string
  /** A second folder, after the first in the index's order. */
  published: string
  /** Path of the index file. */
  file: string
}

/** Two folders of results and a name for an index, gone with the test. */
export async function indexFolders(): Promise<IndexBench> {
  const root = await mkdtemp(join(tmpdir(), 'run-index-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const [results, published] = [join(root, 'results'), join(root, 'published')]
  await mkdir(results)
  await mkdir(published)
  return { results, published, file: join(root, 'index.sqlite') }
}

export interface OpenedIndex {
  db: Database.Database
  sync(): Promise<IndexChange>
  verify(): Promise<IndexVerification>
  close(): void
}

/** The index of those folders in this thread, as the writing thread has it. */
export function openIndex({ file, results, published }: IndexBench): OpenedIndex {
  const db = openForWriting(file)
  const folders = [results, published]
  const writer = new IndexWriter(new IndexSession(db), { folders })
  onTestFinished(() => void db.close())
  return {
    db,
    sync: () => writer.sync(signal),
    verify: () => verifyIndex(db, { folders }, signal),
    close: () => void db.close(),
  }
}

/** Everything in the index that comes from the files, without numbers that another order of reading would change. */
export function contentOf(db: Database.Database): unknown {
  const all = (sql: string): unknown[] => db.prepare(sql).raw().all()
  return {
    cells: all(
      `SELECT r.run_id, s.dataset_id, q.question_id, m.model, lower(hex(c.row_id)), c.offset, c.length, c.status,
         c.error_type, c.evaluation, c.latency_ms, c.answer_chars, c.faithfulness_state, c.recall_at_5_state, c.judge_mean_state, c.faithfulness, c.recall_at_5, c.judge_mean,
         (SELECT json FROM reason_sets WHERE id = c.reasons), (SELECT sha256 FROM provenance WHERE id = c.provenance)
       FROM cells c JOIN runs r ON r.id = c.run_id JOIN dataset_runs d ON d.id = c.scope
       JOIN datasets s ON s.id = d.dataset JOIN questions q ON q.id = c.question JOIN aliases m ON m.id = c.alias
       ORDER BY 1, 2, 3, 4`,
    ),
    datasetRuns: all(
      `SELECT r.run_id, s.dataset_id, d.kind, d.label, d.questions, d.ok, d.error, d.timeout, d.expected,
         d.last_ms, r.newest_ms FROM dataset_runs d JOIN runs r ON r.id = d.run
       JOIN datasets s ON s.id = d.dataset ORDER BY 1, 2`,
    ),
    tallies: all(
      `SELECT n.label, m.model, t.status, t.evaluation, t.error_type, t.cells FROM cell_tallies t
       JOIN dataset_runs n ON n.id = t.scope JOIN aliases m ON m.id = t.alias
       LEFT JOIN provenance p ON p.id = t.provenance ORDER BY 1, 2, 3, 4, 5, p.sha256, 6`,
    ),
    columns: all(
      `SELECT r.run_id, s.dataset_id, m.model, t.metric, t.state, t.cells FROM column_tallies t
       JOIN dataset_runs d ON d.id = t.scope JOIN runs r ON r.id = d.run JOIN datasets s ON s.id = d.dataset
       JOIN aliases m ON m.id = t.alias ORDER BY 1, 2, 3, 4, 5`,
    ),
    questions: all(
      `SELECT d.scope, d.position, q.question_id, q.query FROM dataset_run_questions d JOIN questions q ON q.id = d.question
       JOIN dataset_runs n ON n.id = d.scope ORDER BY n.label, d.position, q.question_id`,
    ).map((row) => (row as unknown[]).slice(1)),
    verdicts: all(
      `SELECT q.question_id, v.judge, m.model, v.score, v.best FROM verdicts v JOIN questions q ON q.id = v.question
       JOIN aliases m ON m.id = v.alias ORDER BY 1, 2, 3`,
    ),
    sources: all(
      `SELECT lower(hex(c.row_id)), x.rank, t.text, x.score FROM sources x JOIN cells c ON c.id = x.cell
       JOIN texts t ON t.id = x.title ORDER BY 1, 2`,
    ),
    searchable: all(`SELECT lower(hex(c.row_id)) FROM answer_text t JOIN cells c ON c.id = t.rowid
       WHERE t.answer_text MATCH 'answer' ORDER BY 1`),
    artifacts: all('SELECT path, kind, state, size_bytes, applied_bytes, sha256 FROM artifacts ORDER BY path'),
  }
}

/** Returns what a fresh index of the same folders holds. */
export async function freshContent(folders: IndexBench): Promise<unknown> {
  const fresh = openIndex({ ...folders, file: `${folders.file}-fresh-${Math.random()}` })
  await fresh.sync()
  return contentOf(fresh.db)
}
