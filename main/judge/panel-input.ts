import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { Matrix } from '../../contract/evidence/matrix.ts'
import type { IngestionProvenance } from '../../contract/evidence/provenance.ts'
import { SharedConditions } from '../evidence/rows/conditions.ts'
import { JudgePanelError } from './judge-error.ts'
import { isExcludedAnswer } from '../../core/evidence/excluded-answer.ts'
import { scoredAnswer } from '../../core/citations.ts'

/** One question with its stored answers. */
export interface PanelQuestion {
  id: string
  query: string
  groundTruth: string | null
  answerable: boolean
  expectWinner: string | null
  /** Gold documents: questions that share one are not independent. */
  documents: readonly string[]
  /** Gold facts and all passages that any approach retrieved, each once, in an order that reveals nothing. */
  evidence: readonly string[]
  /** Texts of the gold facts; absent where the rows have none. */
  gold?: readonly string[]
  /** One per stored cell; null is a failed one. Cells that never ran, and cut answers that the run leaves out, are absent. */
  answers: readonly { model: string; answer: string | null }[]
}

/** Describes what a panel judges: the stored answers of one dataset run. */
export interface PanelInput {
  runId: string
  datasetId: string
  ingestion: IngestionProvenance | null
  questions: readonly PanelQuestion[]
}

/** Which cells are judged, and in which order. */
export interface PanelSelection {
  runId: string
  datasetId: string
  /** Null: all that are stored, by name. */
  models: readonly string[] | null
  /** Null: all that are stored, by id. */
  questionIds: readonly string[] | null
}

interface Collected {
  question: CanonicalRow['question']
  evidence: Set<string>
  answers: Map<string, string | null>
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The rows of one dataset run → panel input, the same for any order of rows. Throws `JudgePanelError` `mixed_answers` for rows of another run,
 * dataset or ingestion: a panel that compares answers from unequal data would compare the data.
 */
export async function panelInputFromRows(
  rows: AsyncIterable<CanonicalRow>,
  selection: PanelSelection,
): Promise<PanelInput> {
  const { runId, datasetId, models, questionIds } = selection
  const conditions = new SharedConditions()
  const collected = new Map<string, Collected>()
  for await (const row of rows) {
    if (row.run_id !== runId || row.dataset.id !== datasetId)
      throw new JudgePanelError('mixed_answers', `row ${row.row_id} is not of run ${runId}, dataset ${datasetId}`)
    if (conditions.addAndCompare(row) !== null)
      throw new JudgePanelError(
        'mixed_answers',
        `row ${row.row_id} was made under other conditions than the rows before it`,
      )
    // Judges read the first answer of a cell, unless it was cut and the run leaves such answers out; repetitions measure the approach's own scatter.
    if (row.repeat !== undefined || isExcludedAnswer(row)) continue
    const { question } = row
    const { model } = row.approach
    if (models?.includes(model) === false || questionIds?.includes(question.id) === false) continue
    const own = collected.get(question.id) ?? {
      question,
      evidence: new Set(),
      answers: new Map<string, string | null>(),
    }
    collected.set(question.id, own)
    own.answers.set(model, row.status === 'ok' && row.evidence !== null ? scoredAnswer(row.evidence) : null)
    for (const context of row.evidence?.contexts ?? []) own.evidence.add(context)
  }
  const questions = [...collected.values()].map(({ question, evidence, answers }): PanelQuestion => {
    for (const { fact } of question.gold) if (fact !== undefined) evidence.add(fact)
    return {
      id: question.id,
      query: question.query,
      groundTruth: question.ground_truth,
      answerable: question.answerable,
      expectWinner: question.expect_winner,
      documents: [...new Set(question.gold.map(({ document }) => document))],
      evidence: [...evidence].sort(byName),
      gold: question.gold.flatMap(({ fact }) => fact ?? []),
      answers: inOrder(answers, models),
    }
  })
  return {
    runId,
    datasetId,
    ingestion: conditions.value?.ingestion ?? null,
    questions: ordered(questions, questionIds),
  }
}

/** The same from a matrix alone, as older results have it: without passages, and every question taken for answerable. */
export function panelInputFromMatrix(matrix: Matrix, models: readonly string[] | null = null): PanelInput {
  const questions = matrix.queries.map((query): PanelQuestion => {
    const cells = matrix.cells.filter(
      (cell) => cell.query_id === query.id && cell.repeat === undefined && models?.includes(cell.model) !== false,
    )
    return {
      id: query.id,
      query: query.query,
      groundTruth: query.ground_truth,
      answerable: true,
      expectWinner: query.expect_winner,
      documents: [],
      evidence: [],
      answers: inOrder(new Map(cells.map((cell) => [cell.model, cell.ok ? cell.answer : null])), models),
    }
  })
  return {
    runId: matrix.run_id,
    datasetId: matrix.dataset_id,
    ingestion: matrix.ingestion ?? null,
    questions: questions.filter(({ answers }) => answers.length > 0),
  }
}

function inOrder(
  answers: ReadonlyMap<string, string | null>,
  models: readonly string[] | null,
): PanelQuestion['answers'] {
  const names = models?.filter((model) => answers.has(model)) ?? [...answers.keys()].sort(byName)
  return names.map((model) => ({ model, answer: answers.get(model)! }))
}

function ordered(questions: PanelQuestion[], ids: readonly string[] | null): PanelQuestion[] {
  if (ids === null) return questions.sort((a, b) => byName(a.id, b.id))
  const positions = new Map(ids.map((id, index) => [id, index]))
  return questions.sort((a, b) => positions.get(a.id)! - positions.get(b.id)!)
}
