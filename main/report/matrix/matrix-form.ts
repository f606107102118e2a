// The form of `-matrix.json`: its cells, their order, and the text around them. `matrix-spool.ts` writes one from rows in any order.
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Matrix, MatrixCell } from '../../../contract/evidence/matrix.ts'
import { ReportError } from '../report-error.ts'
import { SharedConditions } from '../../evidence/rows/conditions.ts'

/** Which order a matrix has; rows of other models and questions follow by name. */
export interface MatrixFrame {
  runId: string
  datasetId: string
  models: readonly string[]
  questionIds: readonly string[]
  /** Answers per question and model; further ones are left out. All when not given. */
  repeats?: number | null
}

/** A latency in seconds with one decimal, as the matrix shows it. */
export const latencySeconds = (latencyMs: number): number => Math.round(latencyMs / 100) / 10

/** Characters of an error in the matrix; the evidence has all of it. */
const ERROR_CAP = 2000

function shortError({ type, message }: NonNullable<CanonicalRow['error']>): string {
  const text = `${type}: ${message}`
  return text.length <= ERROR_CAP ? text : `${text.slice(0, ERROR_CAP).toWellFormed()}… (${text.length} characters)`
}

/** A cell without an answer. */
export type FailedCell = Extract<MatrixCell, { ok: false }>

/** A row → its cell. A failed cell has its error and neither answer nor scores. */
export function matrixCell(row: CanonicalRow): MatrixCell {
  const head = {
    query_id: row.question.id,
    model: row.approach.model,
    ...(row.repeat === undefined ? {} : { repeat: row.repeat }),
    base_model: row.approach.base_model,
    flavor: row.approach.flavor,
    requires_reingest: row.approach.requires_reingest,
    latency_s: latencySeconds(row.metrics.operational.latency_ms),
  }
  if (row.status !== 'ok' || row.evidence === null)
    return { ...head, ok: false, error: row.error === null ? row.status : shortError(row.error) }
  const { answer, raw_content, sources, server_metrics, approach_metadata } = row.evidence
  return {
    ...head,
    ok: true,
    raw: raw_content,
    answer,
    sources: sources.map(({ title, score }) => ({ title, score })),
    metrics: server_metrics,
    ...(approach_metadata === undefined ? {} : { approach_metadata }),
  }
}

/** A matrix whose cells are kept in another form, such as their place in a file. */
export type MatrixOf<Kept> = Omit<Matrix, 'cells'> & { cells: Kept[] }

/** Puts cells in the order of a matrix, from rows in any order. */
export interface MatrixOrder<Kept> {
  /** `keep` is asked for what to hold of the row's cell, and not called for one that is left out. Throws `ReportError` for a row of another run or ingestion. */
  add(row: CanonicalRow, keep: () => Kept): void
  finish(order?: Pick<MatrixFrame, 'models' | 'questionIds'>): MatrixOf<Kept>
}

/** See {@link MatrixOrder}. Memory grows with the cells by what is kept of each. */
export function createMatrixOrder<Kept>(frame: MatrixFrame): MatrixOrder<Kept> {
  const conditions = new SharedConditions()
  const questions = new Map<string, Matrix['queries'][number]>()
  const cells = new Map<string, Map<string, { repeat: number; kept: Kept }[]>>()
  const repeats = frame.repeats ?? Infinity

  return {
    add(row, keep) {
      if (row.run_id !== frame.runId || row.dataset.id !== frame.datasetId)
        throw new ReportError(
          'foreign_row',
          `row ${row.row_id} is not of run ${frame.runId}, dataset ${frame.datasetId}`,
        )
      if (conditions.addAndCompare(row) !== null)
        throw new ReportError(
          'mixed_provenance',
          `row ${row.row_id} was made under other conditions than the rows before it`,
        )
      const repeat = row.repeat ?? 1
      if (repeat > repeats) return
      const { id, query, ground_truth, rationale, expect_winner } = row.question
      questions.set(id, { id, query, ground_truth, rationale, expect_winner })
      const ofQuestion = cells.get(id) ?? new Map<string, { repeat: number; kept: Kept }[]>()
      cells.set(id, ofQuestion)
      const answers = ofQuestion.get(row.approach.model) ?? []
      ofQuestion.set(row.approach.model, answers)
      answers.push({ repeat, kept: keep() })
    },
    finish(order = frame) {
      const found = [...cells.values()].flatMap((ofQuestion) => [...ofQuestion.keys()])
      const models = inOrder(order.models, found)
      const ids = inOrder(order.questionIds, questions.keys()).filter((id) => questions.has(id))
      return {
        schema_version: 1,
        run_id: frame.runId,
        dataset_id: frame.datasetId,
        models,
        queries: ids.map((id) => questions.get(id)!),
        ingestion: conditions.value?.ingestion ?? null,
        cells: ids.flatMap((id) =>
          models.flatMap((model) =>
            (cells.get(id)!.get(model) ?? []).sort((a, b) => a.repeat - b.repeat).map(({ kept }) => kept),
          ),
        ),
      }
    },
  }
}

function inOrder(order: readonly string[], found: Iterable<string>): string[] {
  const known = new Set(order)
  const others = [...new Set(found)].filter((name) => !known.has(name)).sort()
  return [...order, ...others]
}

/** Yields what is written before the cells. */
export function* matrixOpening({ queries, ...head }: Omit<Matrix, 'cells'>): Generator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "queries": [`
  for (const [index, query] of queries.entries()) yield matrixLine(index, JSON.stringify(query))
  yield `${queries.length > 0 ? '\n  ' : ''}],\n  "cells": [`
}

/** A question or cell in its list. */
export const matrixLine = (index: number, json: string): string => `${index === 0 ? '\n' : ',\n'}    ${json}`

/** Returns what is written after the cells. */
export const matrixEnd = (cells: number): string => `${cells > 0 ? '\n  ' : ''}]\n}\n`
