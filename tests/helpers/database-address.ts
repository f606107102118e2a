import type { Database } from '../../providers/platform/stores/database/database.ts'
import { openPostgresDatabase } from '../../providers/platform/stores/database/postgres-database.ts'
import { openSqliteDatabase } from '../../providers/platform/stores/database/sqlite-database.ts'
import { timesOf } from './repetitions.ts'

/** Opens the database of a crash test: a file, or a connection string of PostgreSQL. */
export async function openDatabase(address: string): Promise<Database> {
  if (!address.startsWith('postgres:')) return openSqliteDatabase(address)
  return openPostgresDatabase({ url: address, poolMin: 0, poolMax: 4 })
}

/** Processes that a crash test kills, unless CRASH_KILLS is set. */
export const killsOn = (kind: 'SQLite' | 'PostgreSQL'): number =>
  Number(process.env['CRASH_KILLS'] ?? timesOf(`processes on ${kind} are killed`))

/** Each change of `table` to an end adds a row to `ends`, which has no unique key: what ends twice must show. */
export async function recordEnds(database: Database, table: string, ended: readonly string[]): Promise<void> {
  const isEnd = `NEW.status IN (${ended.map((status) => `'${status}'`).join(', ')})`
  const onUpdate = `CREATE TRIGGER ended AFTER UPDATE OF status ON ${table}`
  await database.run('CREATE TABLE ends (id TEXT NOT NULL)')
  const isPostgres = await database.get('SELECT version()').then(
    () => true,
    () => false,
  )
  if (!isPostgres) {
    await database.run(`${onUpdate} WHEN ${isEnd} BEGIN INSERT INTO ends (id) VALUES (NEW.id); END`)
    return
  }
  await database.run(
    `CREATE FUNCTION record_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ends (id) VALUES (NEW.id); RETURN NEW; END $$`,
  )
  await database.run(`${onUpdate} FOR EACH ROW WHEN (${isEnd}) EXECUTE FUNCTION record_end()`)
}
