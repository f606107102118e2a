import type { ClientBase } from 'pg'

// The tables of evidence in a database, all in the schema `rag_ladder`.
//
// `runs.row_count` is the number of durable rows of a run: an append raises it and writes its rows under the numbers that it thereby got, in
// one statement. The row of the run is locked until that statement is committed, so numbers have no gaps and become visible in their order:
// whoever has read up to a number has read everything before it, and each reader sees the same sequence.

const FORMAT = 1

const TABLES = `
  CREATE SCHEMA IF NOT EXISTS rag_ladder;
  CREATE TABLE rag_ladder.format (version int NOT NULL);
  INSERT INTO rag_ladder.format VALUES (${FORMAT});
  CREATE TABLE rag_ladder.runs (
    key int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL,
    dataset_id text COLLATE "C" NOT NULL,
    identity text,
    identity_revision int NOT NULL DEFAULT 0,
    row_count bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (run_id, dataset_id)
  );
  CREATE TABLE rag_ladder.workers (
    key int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run int NOT NULL REFERENCES rag_ladder.runs ON DELETE CASCADE,
    name text NOT NULL,
    host text NOT NULL,
    pid int NOT NULL,
    backend_pid int NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
  );
  CREATE TABLE rag_ladder.rows (
    run int NOT NULL REFERENCES rag_ladder.runs ON DELETE CASCADE,
    position bigint NOT NULL,
    row_id text COLLATE "C" NOT NULL,
    question_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    repeat int NOT NULL,
    retry int NOT NULL,
    is_answered boolean NOT NULL,
    parts bytea NOT NULL,
    worker int NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(),
    line bytea NOT NULL,
    PRIMARY KEY (run, position),
    UNIQUE (run, row_id)
  );
  CREATE TABLE rag_ladder.answers (
    run int NOT NULL REFERENCES rag_ladder.runs ON DELETE CASCADE,
    row_id text COLLATE "C" NOT NULL,
    cell_id text COLLATE "C" NOT NULL,
    retry int NOT NULL,
    line bytea NOT NULL,
    PRIMARY KEY (run, row_id)
  );
`

/** The database was made by a later version of this program. */
export class NewerFormatError extends Error {
  override readonly name = 'NewerFormatError'
}

/** First of the two numbers of this program's advisory locks on runs and tables; locks on cells are of the other kind, with one number. */
export const LOCK_CLASS = 0x52414c

/** No run has the number 0. */
const TABLES_LOCK = 0

/** Makes the tables where they are missing, once, however many processes ask. Throws `NewerFormatError`. */
export async function ensureTables(client: ClientBase): Promise<void> {
  if ((await formatOf(client)) !== null) return
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, TABLES_LOCK])
    if ((await formatOf(client)) === null) await client.query(TABLES)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

async function formatOf(client: ClientBase): Promise<number | null> {
  // Not by to_regclass: within a transaction that remembers for a while that a name did not exist.
  const tables = await client.query("SELECT FROM pg_tables WHERE schemaname = 'rag_ladder' AND tablename = 'format'")
  if (tables.rowCount === 0) return null
  const { rows } = await client.query<{ version: number }>('SELECT max(version) AS version FROM rag_ladder.format')
  const { version } = rows[0]!
  if (version > FORMAT)
    throw new NewerFormatError(`its tables have format ${version}, this program knows ${FORMAT}: use the newer program`)
  return version
}
