// The tables of the run index, and the names and codes that its queries share.
import { CellMetricState, IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { metricOfId } from '../../contract/metrics/metrics.ts'

export const INDEX_METRICS = IndexMetric.options

/**
 * Name of the column of `cells` that holds a metric's values; one of a fixed set, safe in SQL. An operational metric covers answered cells only,
 * unlike the column with the cell's own figure.
 */
export const valueColumn = (metric: IndexMetric): string =>
  metricOfId(metric).class === 'operational' ? `answered_${metric}` : metric

const CODES = new Map(CellMetricState.options.map((state, code) => [state, code]))

export const stateCode = (state: CellMetricState): number => CODES.get(state)!
export const stateOfCode = (code: number): CellMetricState => CellMetricState.options[code]!

/** Name of the column of `cells` that holds the code of a metric's state; one of a fixed set, safe in SQL. */
export const stateColumn = (metric: IndexMetric): string => `${metric}_state`

/** Raised with every change of the tables or of their content: an index of another version is rebuilt. */
export const INDEX_VERSION = 15

/** Marks a database file as a run index, so that no other file is ever removed for one. */
export const APPLICATION_ID = 0x52_4c_49_58

/** Length of the searchable beginning of each answer, in UTF-16 units. */
export const SEARCHABLE_CHARS = 8192

const valueColumns = INDEX_METRICS.map((metric) => `${valueColumn(metric)} REAL`).join(', ')
const stateColumns = INDEX_METRICS.map((metric) => `${stateColumn(metric)} INTEGER NOT NULL`).join(', ')

/**
 * Everything can be rebuilt from the files. A question that is asked several times is one row per repetition in `questions`: its answers are
 * rows of their own. The cells of one dataset run (`scope`) are adjacent in `cells_by_question`, so that a page, a column head or a comparison
 * reads one range. Three shapes are measured decisions: values and states of the metrics are columns of their cell (one row per metric made
 * filling the index three times slower); a cell's sources are one JSON list (a row each was a sixth of
 * the time of filling; the view `sources` shows them as rows); `cell_tallies` and `column_tallies` are counted while cells are added (counting
 * all cells for each summary took a second). Means are not stored: reports and index make them of the cells by the same code.
 */
export const SCHEMA = `
CREATE TABLE state (
  revision INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (0);

CREATE TABLE artifacts (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  kind TEXT NOT NULL,
  folder INTEGER NOT NULL,
  state TEXT NOT NULL,
  identity TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  modified_ms REAL NOT NULL,
  applied_bytes INTEGER NOT NULL,
  applied_lines INTEGER NOT NULL,
  sha256 TEXT,
  scope INTEGER REFERENCES dataset_runs,
  damage_offset INTEGER,
  damage_line INTEGER,
  damage_message TEXT
) STRICT;
CREATE INDEX artifacts_by_prefix ON artifacts (prefix);
CREATE INDEX artifacts_by_scope ON artifacts (scope);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  newest_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_age ON runs (newest_ms DESC, id DESC);

CREATE TABLE datasets (
  id INTEGER PRIMARY KEY,
  dataset_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE dataset_runs (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  dataset INTEGER NOT NULL REFERENCES datasets,
  owner INTEGER NOT NULL REFERENCES artifacts,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  complexity_level INTEGER,
  questions INTEGER NOT NULL DEFAULT 0,
  ok INTEGER NOT NULL DEFAULT 0,
  error INTEGER NOT NULL DEFAULT 0,
  timeout INTEGER NOT NULL DEFAULT 0,
  expected INTEGER,
  last_ms INTEGER,
  verdict_kind TEXT,
  headline TEXT,
  UNIQUE (run, dataset)
) STRICT;

CREATE TABLE aliases (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE dataset_run_aliases (
  scope INTEGER NOT NULL,
  alias INTEGER NOT NULL,
  base_model TEXT,
  flavor TEXT,
  evidence_capability TEXT,
  position INTEGER,
  unavailable TEXT,
  PRIMARY KEY (scope, alias)
) STRICT, WITHOUT ROWID;

CREATE TABLE questions (
  id INTEGER PRIMARY KEY,
  dataset INTEGER NOT NULL REFERENCES datasets,
  question_id TEXT NOT NULL,
  digest BLOB NOT NULL,
  repeat INTEGER NOT NULL,
  query TEXT,
  ground_truth TEXT,
  hops INTEGER,
  answerable INTEGER,
  expect_winner TEXT,
  UNIQUE (dataset, question_id, digest, repeat)
) STRICT;

CREATE TABLE dataset_run_questions (
  scope INTEGER NOT NULL,
  question INTEGER NOT NULL,
  position INTEGER NOT NULL,
  winner INTEGER,
  inconclusive TEXT,
  PRIMARY KEY (scope, question)
) STRICT, WITHOUT ROWID;
CREATE INDEX dataset_runs_by_question ON dataset_run_questions (question, scope);

CREATE TABLE provenance (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE reason_sets (
  id INTEGER PRIMARY KEY,
  json TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE cells (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  row_id BLOB NOT NULL,
  scope INTEGER NOT NULL REFERENCES dataset_runs,
  question INTEGER NOT NULL REFERENCES questions,
  alias INTEGER NOT NULL REFERENCES aliases,
  offset INTEGER,
  length INTEGER,
  status INTEGER NOT NULL,
  error_type TEXT,
  evaluation INTEGER,
  queue_ms REAL,
  latency_ms REAL,
  attempts INTEGER,
  server_seconds REAL,
  total_tokens INTEGER,
  answer_chars INTEGER,
  finished_ms INTEGER,
  provenance INTEGER REFERENCES provenance,
  reasons INTEGER REFERENCES reason_sets,
  ${valueColumns},
  ${stateColumns}
) STRICT;
CREATE UNIQUE INDEX cells_by_row ON cells (run_id, row_id);
CREATE UNIQUE INDEX cells_by_question ON cells (scope, question, alias);

CREATE TABLE cell_tallies (
  scope INTEGER NOT NULL,
  alias INTEGER NOT NULL,
  status INTEGER NOT NULL,
  evaluation INTEGER NOT NULL,
  error_type TEXT NOT NULL,
  provenance INTEGER NOT NULL,
  cells INTEGER NOT NULL,
  PRIMARY KEY (scope, alias, status, evaluation, error_type, provenance)
) STRICT, WITHOUT ROWID;

CREATE TABLE column_tallies (
  scope INTEGER NOT NULL,
  metric TEXT NOT NULL,
  alias INTEGER NOT NULL,
  state INTEGER NOT NULL,
  cells INTEGER NOT NULL,
  PRIMARY KEY (scope, metric, alias, state)
) STRICT, WITHOUT ROWID;

CREATE TABLE source_lists (
  cell INTEGER PRIMARY KEY,
  list TEXT NOT NULL
) STRICT;
CREATE VIEW sources AS
  SELECT l.cell, s.key + 1 AS rank, s.value ->> 0 AS title, s.value ->> 1 AS document, s.value ->> 2 AS score
  FROM source_lists l, json_each(l.list) s;

CREATE TABLE verdicts (
  scope INTEGER NOT NULL,
  question INTEGER NOT NULL,
  judge TEXT NOT NULL,
  alias INTEGER NOT NULL,
  score REAL,
  best INTEGER NOT NULL,
  reason TEXT,
  PRIMARY KEY (scope, question, judge, alias)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE question_text USING fts5 (query, ground_truth, content = '', contentless_delete = 1);
CREATE VIRTUAL TABLE answer_text USING fts5 (answer, content = '', contentless_delete = 1);

PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${INDEX_VERSION};
`

/** Codes of `status` in `cells`. */
export const STATUS_CODES = { ok: 0, error: 1, timeout: 2 } as const
