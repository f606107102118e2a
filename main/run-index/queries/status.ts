import type Database from 'better-sqlite3'
import type { IndexStatus } from '../../../contract/index.ts'
import { readArtifacts } from '../artifact-store.ts'
import { INDEX_VERSION } from '../schema.ts'
import { fitting } from './page-budget.ts'
import { damageOf } from './run-summary.ts'

/** Size and state of the index itself. */
export function indexStatus(db: Database.Database, folders: readonly string[]): IndexStatus {
  const number = (sql: string): number => db.prepare<[], number>(sql).pluck().get()!
  const pragma = (name: string) => db.pragma(name, { simple: true })
  const damaged = readArtifacts(db).flatMap((artifact) => {
    const damage = damageOf(artifact)
    return damage === null ? [] : [{ path: artifact.path, damage }]
  })
  return {
    revision: number('SELECT revision FROM state'),
    schema_version: INDEX_VERSION,
    journal_mode: String(pragma('journal_mode')),
    runs: number('SELECT count(*) FROM runs'),
    cells: number('SELECT coalesce(sum(ok + error + timeout), 0) FROM dataset_runs'),
    size_bytes: Number(pragma('page_count')) * Number(pragma('page_size')),
    folders: [...folders],
    damaged: fitting(damaged),
  }
}
