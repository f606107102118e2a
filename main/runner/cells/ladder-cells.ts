import { hash } from 'node:crypto'
import type { RowApproach, RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import type { ResumePlan } from '../../evidence/evidence-log.ts'
import type { RowIdentity } from '../../evidence/rows/row-identity.ts'
import { cellId, rowId } from '../../evidence/rows/row-id.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'

/** One cell of the matrix before it is called. */
export interface LadderCell {
  rowId: string
  /** Id of the cell's first row: the same as `rowId` unless the cell is tried again. */
  cellId: string
  question: Question
  alias: Alias
  /** 1 for the first answer to the question. */
  repeat: number
  /** States how often the cell had failed before; 0 for its first row. */
  retry: number
}

/** The cells of a dataset sorted by what is stored of them. */
export interface CellPlan {
  resume: ResumePlan
  /** Digest of everything that decided it. */
  basis: string
  /** As in `CellSpace`. */
  retryOf?: CellSpace['retryOf']
}

export interface CellSpace {
  runId: string
  dataset: LadderDataset
  aliases: readonly Alias[]
  repeats: number
  seed: string
  /** Retry number of a cell by the id of its first row; no cell was tried again when not given. */
  retryOf?: (cellId: string) => number
}

const stableNumber = (text: string): number => hash('sha256', text, 'buffer').readUInt32BE(0)

/**
 * Every cell, question by question, and the whole matrix again for each repetition: a run that is stopped has whole rounds. Which alias goes
 * first turns with a hash of seed, question and repetition, so that a machine that slows down or warms up during the run does so for all
 * approaches alike.
 */
export function* cellsInOrder({ repeats, ...space }: CellSpace): Generator<LadderCell> {
  for (let repeat = 1; repeat <= repeats; repeat += 1)
    for (const question of space.dataset.questions) yield* questionCells(space, question, repeat)
}

function* questionCells(
  { runId, dataset, aliases, seed, retryOf }: Omit<CellSpace, 'repeats'>,
  question: Question,
  repeat: number,
): Generator<LadderCell> {
  const stream = repeat === 1 ? `${seed}\0${question.id}` : `${seed}\0${question.id}\0${repeat}`
  const start = stableNumber(stream) % Math.max(1, aliases.length)
  const key = { run_id: runId, dataset_id: dataset.dataset.id, question_id: question.id, repeat }
  for (let step = 0; step < aliases.length; step += 1) {
    const alias = aliases[(start + step) % aliases.length]!
    const first = cellId({ ...key, model: alias.alias })
    const retry = retryOf?.(first) ?? 0
    const id = retry === 0 ? first : rowId({ ...key, model: alias.alias, retry })
    yield { rowId: id, cellId: first, question, alias, repeat, retry }
  }
}

// One object per question and per alias, however many cells there are: a plan of 200,000 cells then compares them by identity.
const questions = new WeakMap<Question, RowQuestion>()
const approaches = new WeakMap<Alias, RowApproach>()

/** Returns what a row keeps of a question; the same object for the same question. */
export function rowQuestion(question: Question): RowQuestion {
  const known = questions.get(question)
  if (known !== undefined) return known
  const { tags: _tags, ...kept } = question
  questions.set(question, kept)
  return kept
}

/** Returns what a row keeps of an alias; the same object for the same alias and provider. */
export function rowApproach(alias: Alias, provider: string): RowApproach {
  const known = approaches.get(alias)
  if (known?.provider === provider) return known
  const { flavor, calls } = alias
  const made: RowApproach = {
    model: alias.alias,
    base_model: alias.base,
    flavor: flavor.flavor,
    parameters: { ...flavor.parameters, ...(calls === undefined ? {} : { context_budget: calls.contextBudget }) },
    evidence_capability: alias.evidence,
    requires_reingest: flavor.requires_reingest,
    provider,
  }
  approaches.set(alias, made)
  return made
}

/** Returns what a stored row must agree with to be taken for this cell. */
export function cellIdentity(cell: LadderCell, provider: string, reproducibility: Reproducibility): RowIdentity {
  return {
    row_id: cell.rowId,
    question: rowQuestion(cell.question),
    approach: rowApproach(cell.alias, provider),
    reproducibility,
  }
}
