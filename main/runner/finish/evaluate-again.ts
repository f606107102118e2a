import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { EvaluationConditions, RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { countWords, plural } from '../../../contract/words.ts'
import { evaluationNotRun, isSameEvaluator, isUnevaluable, storedGrades } from '../../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../../evaluation/evaluator-client.ts'
import type { EvidenceLog } from '../../evidence/evidence-log.ts'
import { CellRecorder } from '../../evidence/traces/cell-recorder.ts'
import { TraceTexts } from '../../evidence/traces/trace-texts.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { conflictsWith, gradedUnder, identityConflict, SharedConditions } from '../../evidence/rows/conditions.ts'
import { cellId, rowId, type RowKey, rowKeyOf } from '../../evidence/rows/row-id.ts'
import { identityOfRow, type IdentityFrom } from '../../evidence/rows/run-identity.ts'
import { hashOf } from '../../manifests/load-manifest.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { cellFinished, evaluateRow, withEvaluation } from '../cells/build-row.ts'
import { openEvidence, ResumeConflictError } from '../cells/open-evidence.ts'

interface Reevaluation {
  /** Evidence whose answers are scored again. */
  source: string
  /** New evidence file, of a run with its own id: rows are never changed. */
  target: string
  runId: string
  datasetId: string
  evaluator: EvaluatorClient
  /** Holds what the scores are made with; kept as the new run's evaluation settings. */
  conditions: EvaluationConditions
  /** The evaluator's address, or the embedded platform's model set: rows of two evaluators are never in one run. */
  evaluatorName: string
  /** Grades also answers that have all grades of this evaluator. */
  all: boolean
  emit: (event: RunEvent) => void
  drain: AbortSignal
}

/** A row of the new run with the stored answer; its evaluation is still to come. */
function derivedRow(row: CanonicalRow, identity: RunIdentity, key: RowKey): CanonicalRow {
  const { run_id, evaluation, reproducibility } = identity
  const { [EVALUATED_AGAIN]: evaluator } = reproducibility.config_hashes
  const made = row.grading_refused === true ? gradedUnder(row.reproducibility, reproducibility) : row.reproducibility
  const derived = {
    ...row,
    run_id,
    row_id: rowId(key),
    ...(key.retry === undefined || key.retry === 0 ? {} : { retry: key.retry }),
    reproducibility: withEvaluator(made, evaluator),
    derived_from: { run_id: row.run_id, row_id: row.row_id },
  }
  return withEvaluation(derived, evaluationNotRun(evaluation.metrics))
}

/** Key of the hash of what stored answers were scored with again; `evaluation` still records how they were made. */
export const EVALUATED_AGAIN = 'evaluated_again'

const withEvaluator = (reproducibility: Reproducibility, evaluator: string | undefined): Reproducibility =>
  evaluator === undefined
    ? reproducibility
    : { ...reproducibility, config_hashes: { ...reproducibility.config_hashes, [EVALUATED_AGAIN]: evaluator } }

/** The conditions of the new run, from a row of the old one. Scores stored before the evaluator was recorded are compared by their metrics. */
function identityFrom(row: CanonicalRow, { runId, conditions, evaluatorName }: Reevaluation): IdentityFrom {
  return (stored) => {
    const isOlder = stored !== null && !(EVALUATED_AGAIN in stored.reproducibility.config_hashes)
    const evaluator = isOlder ? undefined : hashOf({ ...conditions, evaluator: evaluatorName })
    const reproducibility = withEvaluator(row.reproducibility, evaluator)
    return { ...identityOfRow(row), run_id: runId, evaluation: conditions, reproducibility }
  }
}

async function setIdentity(job: Reevaluation, log: EvidenceLog, first: CanonicalRow): Promise<RunIdentity> {
  const outcome = await log.setIdentity(identityFrom(first, job))
  if (!outcome.ok) throw new ResumeConflictError(job.target, outcome.conflicts)
  return outcome.identity
}

type Grades = CanonicalRow['metrics']['ragas']

async function scored(
  job: Reevaluation,
  row: CanonicalRow,
  texts: TraceTexts,
  kept: Grades | null,
): Promise<CanonicalRow> {
  if (row.evidence === null) return row
  if (kept !== null) return withEvaluation(row, kept)
  const recorder = new CellRecorder(row.trace?.level ?? 'off', row.trace)
  const result = await evaluateRow(job.evaluator, job.conditions.metrics, row, row.evidence, recorder)
  const leftOut = await texts.add(recorder.takeTexts())
  return withEvaluation(row.trace === undefined ? row : { ...row, trace: recorder.trace(leftOut) }, result)
}

/** Stores the row unless it is stored already. */
async function makeRow(
  job: Reevaluation,
  log: EvidenceLog,
  row: CanonicalRow,
  texts: TraceTexts,
  kept: Grades | null,
): Promise<{ made: CanonicalRow; isStored: boolean }> {
  const outcome = await log.claim(row.row_id, job.drain)
  if (outcome.outcome === 'stored') {
    const conflict = identityConflict(outcome.row, row)
    if (conflict !== null) throw new ResumeConflictError(job.target, [conflict])
    return { made: outcome.row, isStored: true }
  }
  try {
    const made = await scored(job, row, texts, kept)
    await log.append(outcome.claim, made)
    return { made, isStored: false }
  } catch (error) {
    await log.release(outcome.claim)
    throw error
  }
}

/** Describes the grades of the old run, and which of its answers the new run has no row of yet. */
interface Before {
  /** The conditions that the old run had last; null where it has no row. */
  conditions: Reproducibility | null
  /** Ids of the answers that lack a grade. */
  missing: Set<string>
  /** How many answers lack a grade and have no row in the new run. */
  open: number
  /** How many answers have all grades and no row in the new run, by the evaluator that graded them. */
  graded: Map<string, { grades: Grades; answers: number }>
}

async function before(job: Reevaluation, keyOf: NewKey, log: EvidenceLog): Promise<Before> {
  const found: Before = { conditions: null, missing: new Set(), open: 0, graded: new Map() }
  const shared = new SharedConditions()
  for await (const row of readEvidenceRows(job.source)) {
    shared.addAndCompare(row)
    if (row.evidence === null) continue
    const grades = job.all ? null : storedGrades(row.metrics.ragas, job.conditions.metrics)
    const isMade = log.isStored(rowId(keyOf(row)))
    if (grades === null) {
      found.missing.add(row.row_id)
      if (!isMade) found.open += 1
    } else if (!isMade) {
      const { evaluator_model: model, evaluator_version: version, embeddings_model: embeddings } = grades
      const key = JSON.stringify([model, version, embeddings, isUnevaluable(grades)])
      const { answers = 0 } = found.graded.get(key) ?? {}
      found.graded.set(key, { grades, answers: answers + 1 })
    }
  }
  return { ...found, conditions: shared.value }
}

type NewKey = (row: CanonicalRow) => RowKey

/** Which row of the new run an answer gets: a further one where the grading of its last was refused. */
async function newKeys(log: EvidenceLog, runId: string): Promise<NewKey> {
  const refused = new Map<string, number>()
  for await (const row of log.openRows())
    if (row.status === 'ok') refused.set(cellId(rowKeyOf(row)), (row.retry ?? 0) + 1)
  return (row) => {
    const key = { ...rowKeyOf(row), run_id: runId }
    const cell = cellId(key)
    return { ...key, retry: refused.get(cell) ?? Math.max(row.retry ?? 0, log.retryOf(cell)) }
  }
}

/** How many answers are graded and how many keep their grades, once the first reply shows the evaluator. `asked`: the grades that the answer of that reply had. */
function gradingWords({ open, graded }: Before, current: Grades, asked: Grades | null): string {
  const isSame = ({ grades }: { grades: Grades }): boolean => isSameEvaluator(grades, current)
  const [same, others] = [true, false].map((wanted) =>
    [...graded.values()].reduce((sum, one) => sum + (isSame(one) === wanted ? one.answers : 0), 0),
  ) as [number, number]
  const again = asked !== null && isSame({ grades: asked }) ? 1 : 0
  return `${plural(open + others + again, 'answer')} to grade, ${countWords(same - again)} kept where the evaluator and its prompts are the same`
}

interface Counts {
  /** Answers that were graded, whose grading failed, and that kept their grades. */
  made: number
  failed: number
  kept: number
  /** Rows that the new run had before. */
  reused: number
  left: number
}

/**
 * Grades stored answers under a new run id, without calling any approach; grades of the same evaluator are kept. Which evaluator it is shows its first reply, so
 * answers without a grade come first. Resumes like every run. Throws `EvidenceRefusedError` and `ResumeConflictError`.
 */
export async function evaluateAgain(job: Reevaluation): Promise<Counts> {
  await mkdir(dirname(job.target), { recursive: true })
  const { datasetId, runId, conditions, emit } = job
  const log = await openEvidence({ store: fileStore, file: job.target, runId, datasetId, create: true, emit })
  const texts = new TraceTexts(job.target)
  const counts: Counts = { made: 0, failed: 0, kept: 0, reused: 0, left: 0 }
  let identity: RunIdentity | null = null
  let current: Grades | null = null
  try {
    const keyOf = await newKeys(log, runId)
    const found = await before(job, keyOf, log)
    const { missing } = found
    for (const isFirst of [true, false])
      for await (const stored of readEvidenceRows(job.source)) {
        if (missing.has(stored.row_id) !== isFirst) continue
        if (job.drain.aborted) {
          counts.left += 1
          continue
        }
        identity ??= await setIdentity(job, log, { ...stored, reproducibility: found.conditions! })
        const row = derivedRow(stored, identity, keyOf(stored))
        const [difference] = conflictsWith(row, identity.reproducibility)
        if (difference !== undefined)
          throw new ResumeConflictError(job.source, [{ row_id: stored.row_id, ...difference }])
        const grades: Grades | null = isFirst ? null : storedGrades(stored.metrics.ragas, conditions.metrics)
        const kept: Grades | null =
          grades !== null && current !== null && isSameEvaluator(grades, current) ? grades : null
        const { made, isStored } = await makeRow(job, log, row, texts, kept)
        const { ragas } = made.metrics
        if (kept === null && ragas.evaluator_model !== null) {
          if (current === null && found.graded.size > 0) {
            const words = gradingWords(found, ragas, isStored ? null : grades)
            emit({ type: 'notice', level: 'info', message: `${datasetId}: ${words}` })
          }
          current = ragas
        }
        if (isStored) counts.reused += 1
        else if (made.evidence !== null)
          counts[kept !== null ? 'kept' : ragas.error_type === undefined ? 'made' : 'failed'] += 1
        emit(cellFinished(made, isStored))
      }
  } finally {
    await texts.close()
    await log.close()
  }
  return counts
}
