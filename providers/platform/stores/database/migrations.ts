/**
 * Steps of the schema, forward only: step N brings a database from version N to N + 1. A released step never changes; a new one is added at
 * the end. They are written for SQLite; `forPostgres` turns them into those of PostgreSQL.
 */
export const MIGRATIONS: readonly string[] = [
  // 1: background jobs and their logs.
  `CREATE TABLE tasks (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     subject TEXT,
     payload TEXT NOT NULL,
     signature TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed', 'cancelled')),
     attempts INTEGER NOT NULL DEFAULT 0,
     max_attempts INTEGER NOT NULL,
     available_ms INTEGER NOT NULL,
     owner TEXT,
     fence INTEGER NOT NULL DEFAULT 0,
     lease_until_ms INTEGER NOT NULL DEFAULT 0,
     visible_again_ms INTEGER NOT NULL DEFAULT 0,
     cancel_requested INTEGER NOT NULL DEFAULT 0,
     result TEXT,
     error TEXT,
     created_ms INTEGER NOT NULL,
     updated_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX open_tasks ON tasks (status, available_ms) WHERE status IN ('pending', 'running');
   CREATE TABLE task_log (
     task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
     at_ms INTEGER NOT NULL,
     message TEXT NOT NULL
   ) STRICT;
   CREATE INDEX log_of_task ON task_log (task_id);`,
  // 2: stored objects.
  `CREATE TABLE objects (
     bucket TEXT NOT NULL,
     name TEXT NOT NULL,
     sha256 TEXT NOT NULL,
     size_bytes INTEGER NOT NULL,
     media_type TEXT,
     subject TEXT,
     created_ms INTEGER NOT NULL,
     PRIMARY KEY (bucket, name)
   ) STRICT;
   CREATE INDEX objects_by_content ON objects (bucket, sha256);`,
  // 3: memory. `words`: the text without case and punctuation; `space`: the embedding model of the vector.
  `CREATE TABLE memory_facts (
     id TEXT NOT NULL UNIQUE,
     subject TEXT NOT NULL,
     text TEXT NOT NULL,
     words TEXT NOT NULL,
     session_id TEXT,
     created_ms INTEGER NOT NULL,
     space TEXT,
     vector BLOB,
     UNIQUE (subject, words)
   ) STRICT;
   CREATE TABLE memory_sessions (
     id TEXT NOT NULL UNIQUE,
     subject TEXT NOT NULL,
     title TEXT,
     created_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_subject ON memory_sessions (subject);
   CREATE TABLE memory_messages (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     session_id TEXT NOT NULL REFERENCES memory_sessions (id) ON DELETE CASCADE,
     role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
     content TEXT NOT NULL,
     created_ms INTEGER NOT NULL,
     is_read INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX messages_by_session ON memory_messages (session_id, seq);`,
  // 4: when a process last cared for a job.
  `ALTER TABLE tasks ADD COLUMN heartbeat_ms INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX tasks_by_kind ON tasks (kind, seq);`,
  // 5: media operations and the ledger of their cost. Amounts in millionths of the currency; null: unknown.
  `CREATE TABLE media_operations (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     subject TEXT,
     consumer TEXT NOT NULL,
     project TEXT,
     provider TEXT NOT NULL,
     model TEXT NOT NULL,
     modality TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('queued', 'submitting', 'running', 'cancellation_requested', 'submission_unknown',
       'succeeded', 'failed', 'cancelled', 'timeout')),
     provider_id TEXT,
     is_late INTEGER NOT NULL DEFAULT 0,
     price_micro INTEGER,
     cost_micro INTEGER,
     license TEXT,
     artifacts TEXT NOT NULL DEFAULT '[]',
     provenance TEXT NOT NULL DEFAULT '{}',
     raw TEXT,
     error TEXT,
     deadline_ms INTEGER NOT NULL,
     created_ms INTEGER NOT NULL,
     updated_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX media_by_subject ON media_operations (subject, seq);
   CREATE TABLE media_ledger (
     operation_id TEXT NOT NULL PRIMARY KEY,
     subject TEXT,
     consumer TEXT NOT NULL,
     project TEXT,
     currency TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('reserved', 'committed', 'released')),
     is_recovery INTEGER NOT NULL DEFAULT 0,
     reserved_micro INTEGER,
     cost_micro INTEGER,
     created_ms INTEGER NOT NULL,
     updated_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX ledger_by_scope ON media_ledger (consumer, project);`,
  // 6: keys of the bytes of objects, and bytes that no object has (yet, or any more).
  `ALTER TABLE objects ADD COLUMN content_key TEXT NOT NULL DEFAULT '';
   UPDATE objects SET content_key = substr(sha256, 1, 2) || '/' || sha256;
   CREATE TABLE loose_bytes (
     bucket TEXT NOT NULL,
     content_key TEXT NOT NULL,
     since_ms INTEGER NOT NULL,
     PRIMARY KEY (bucket, content_key)
   ) STRICT;`,
  // 7: progress that a background job shows while it runs, and what it needs for itself alone.
  `ALTER TABLE tasks ADD COLUMN progress TEXT;
   ALTER TABLE tasks ADD COLUMN resource TEXT;
   CREATE INDEX tasks_by_resource ON tasks (resource) WHERE resource IS NOT NULL;`,
]

/** Creates the tables of background jobs, for a database that has no other of these tables. */
export const TASK_TABLES = [1, 4, 7].map((step) => MIGRATIONS[step - 1]!).join('\n')

const AS_IN_POSTGRES: readonly (readonly [RegExp, string])[] = [
  // The order of insertion, which every table of SQLite has.
  [/CREATE TABLE (\w+) \(/g, 'CREATE TABLE $1 (rowid BIGINT GENERATED BY DEFAULT AS IDENTITY,'],
  [/\bINTEGER PRIMARY KEY AUTOINCREMENT\b/g, 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY'],
  [/\bINTEGER\b/g, 'BIGINT'],
  [/\bBLOB\b/g, 'BYTEA'],
  [/\) STRICT\b/g, ')'],
]

/** A step in the words of PostgreSQL. */
export const forPostgres = (step: string): string =>
  AS_IN_POSTGRES.reduce((sql, [words, others]) => sql.replace(words, others), step)
