import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type { SearchHit, SearchInput, SearchResults } from '../../../contract/control/run-index/search.ts'
import { SEARCHABLE_CHARS } from '../schema.ts'
import { locateCell, readStoredRow, type CellLocation } from './cell.ts'
import { fitting, valueAt } from './fit-answer.ts'
import { excerptOf, textQuery } from './text-query.ts'

/** A longer line is not read for the sake of an excerpt. */
const MAX_LINE_BYTES = 4_000_000

interface QuestionHit {
  run_id: string
  dataset_id: string
  question_id: string
  query: string | null
  ground_truth: string | null
}

interface AnswerHit {
  cell: number
  run_id: string
  dataset_id: string
  question_id: string
  query: string | null
}

/** Questions and answers that have all the words. */
export function search(db: Database.Database, input: z.output<typeof SearchInput>): SearchResults {
  const query = textQuery(input.text)
  if (query === null) return { hits: [], more: false }
  const questions = questionHits(db, query, input)
  const remaining = input.limit - questions.length
  const answers = remaining < 0 ? [] : answerHits(db, query, input, remaining + 1)
  const hits = [
    ...questions.map((hit) => questionHit(hit, input.text)),
    ...answers.map((hit) => answerHit(db, hit, input.text)),
  ]
  const shown = fitting(hits.slice(0, input.limit))
  return { hits: shown, more: shown.length < hits.length }
}

const scopeValues = ({ run_id, dataset_id }: z.output<typeof SearchInput>) => ({
  run: run_id ?? null,
  dataset: dataset_id ?? null,
})

const IN_SCOPE = '(@run IS NULL OR r.run_id = @run) AND (@dataset IS NULL OR s.dataset_id = @dataset)'

/** Each question once, in the newest run that asked it. */
function questionHits(db: Database.Database, query: string, input: z.output<typeof SearchInput>): QuestionHit[] {
  return db
    .prepare<[Record<string, string | number | null>], QuestionHit>(
      `SELECT r.run_id, s.dataset_id, q.question_id, q.query, q.ground_truth, max(r.newest_ms)
       FROM question_text t JOIN questions q ON q.id = t.rowid
       JOIN dataset_run_questions n ON n.question = q.id JOIN dataset_runs d ON d.id = n.scope
       JOIN runs r ON r.id = d.run JOIN datasets s ON s.id = d.dataset
       WHERE t.question_text MATCH @query AND q.repeat = 1 AND ${IN_SCOPE}
       GROUP BY q.id ORDER BY min(t.rank), q.id LIMIT @limit`,
    )
    .all({ query, limit: input.limit + 1, ...scopeValues(input) })
}

function answerHits(
  db: Database.Database,
  query: string,
  input: z.output<typeof SearchInput>,
  limit: number,
): AnswerHit[] {
  return db
    .prepare<[Record<string, string | number | null>], AnswerHit>(
      `SELECT t.rowid AS cell, r.run_id, s.dataset_id, q.question_id, q.query
       FROM answer_text t JOIN cells c ON c.id = t.rowid JOIN questions q ON q.id = c.question
       JOIN dataset_runs d ON d.id = c.scope JOIN runs r ON r.id = d.run JOIN datasets s ON s.id = d.dataset
       WHERE t.answer_text MATCH @query AND ${IN_SCOPE}
       ORDER BY t.rank LIMIT @limit`,
    )
    .all({ query, limit, ...scopeValues(input) })
}

function questionHit({ ground_truth, ...hit }: QuestionHit & { 'max(r.newest_ms)'?: number }, text: string): SearchHit {
  const { run_id, dataset_id, question_id } = hit
  const query = hit.query?.slice(0, 400) ?? null
  const excerpt = excerptOf(`${hit.query ?? ''}${ground_truth === null ? '' : ` — ${ground_truth}`}`, text)
  return { found_in: 'question', run_id, dataset_id, question_id, query, model: null, row_id: null, excerpt }
}

function answerHit(db: Database.Database, { cell, ...hit }: AnswerHit, text: string): SearchHit {
  const location = locateCell(db, cell)!
  const query = hit.query?.slice(0, 400) ?? null
  return {
    found_in: 'answer',
    ...hit,
    query,
    model: location.model,
    row_id: location.rowId,
    excerpt: (location.length ?? 0) > MAX_LINE_BYTES ? '' : excerptOf(answerOf(location), text),
  }
}

/** The searchable part of the answer; empty when the file has changed since it was indexed; the next sync notices. */
function answerOf(location: CellLocation): string {
  const stored = readStoredRow(location)
  const answer = stored.ok
    ? valueAt(stored.value, location.kind === 'canonical' ? ['evidence', 'answer'] : ['answer'])
    : undefined
  return typeof answer === 'string' ? answer.slice(0, SEARCHABLE_CHARS) : ''
}
