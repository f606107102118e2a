import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { ResumePlan } from './evidence-log.ts'
import type { RowIdentity } from './rows/row-identity.ts'
import type { StoredRows } from './rows/stored-rows.ts'
import { identityConflict } from './rows/conditions.ts'
import { IDENTITY_PARTS, fingerprint, sameJson } from './rows/row-identity.ts'
import type { PlanConflict } from '../../contract/evidence/run-event.ts'

/** Answers that wait for their evaluation. */
export interface PendingAnswers {
  has(rowId: string): boolean
  read(rowId: string): Promise<CanonicalRow | null>
}

interface Fingerprinted {
  value: unknown
  digest: Buffer
}

const MAX_SEEN = 256

/** Sorts cells into the parts of a resume plan by their fingerprints; a stored row is read only to name what differs. */
class ResumePlanner {
  readonly plan: ResumePlan = { reuse: [], answered: [], run: [], conflicts: [] }
  readonly #rows: StoredRows
  readonly #answers: PendingAnswers
  /** The parts seen last under each id or alias: cells of one question, and of one alias, need no new fingerprint. */
  readonly #seen = IDENTITY_PARTS.map(() => new Map<string, Fingerprinted>())
  /** A changed seed changes every row in the same way: each pair of fingerprints is compared once for each kind of row. */
  readonly #differences = new Map<string, PlanConflict | null>()

  constructor(rows: StoredRows, answers: PendingAnswers) {
    this.#rows = rows
    this.#answers = answers
  }

  /** Null when the cell was sorted at once, else a promise to wait for: only conflicts and kept answers read the disk. */
  add(cell: RowIdentity): Promise<void> | null {
    const ordinal = this.#rows.index.find(cell.row_id)
    if (ordinal === -1) {
      if (this.#answers.has(cell.row_id)) return this.#addAnswered(cell)
      this.plan.run.push(cell.row_id)
      return null
    }
    for (const part of IDENTITY_PARTS.keys())
      if (!this.#rows.index.partOf(ordinal, part).equals(this.#digest(cell, part)))
        return this.#addDiffering(cell, ordinal)
    this.plan.reuse.push(cell.row_id)
    return null
  }

  #digest(cell: RowIdentity, part: number): Buffer {
    const value = cell[IDENTITY_PARTS[part]!]
    const name = 'id' in value ? value.id : 'model' in value ? value.model : ''
    const seen = this.#seen[part]!
    const known = seen.get(name)
    if (known !== undefined && sameJson(known.value, value)) return known.digest
    const digest = fingerprint(value)
    if (seen.size >= MAX_SEEN) seen.clear()
    seen.set(name, { value, digest })
    return digest
  }

  /** A row of other conditions is reused where none of them binds it. */
  async #addDiffering(cell: RowIdentity, ordinal: number): Promise<void> {
    const { index } = this.#rows
    const digests = IDENTITY_PARTS.flatMap((_, part) => [index.partOf(ordinal, part), this.#digest(cell, part)])
    // A question differs in its own row alone, and of a row that may be replaced only the row itself shows whether it has an answer.
    const isAlone = !index.isFinal(ordinal) || !digests[0]!.equals(digests[1]!)
    const key = `${isAlone ? cell.row_id : ''} ${Buffer.concat(digests.slice(2)).toString('hex')}`
    let difference = this.#differences.get(key)
    if (difference === undefined) {
      difference = identityConflict(await this.#rows.readAt(ordinal), cell)
      this.#differences.set(key, difference)
    }
    if (difference === null) this.plan.reuse.push(cell.row_id)
    else this.plan.conflicts.push({ ...difference, row_id: cell.row_id })
  }

  async #addAnswered(cell: RowIdentity): Promise<void> {
    const answer = await this.#answers.read(cell.row_id)
    const conflict = answer && identityConflict(answer, cell)
    if (answer === null) this.plan.run.push(cell.row_id)
    else if (conflict === null) this.plan.answered.push(cell.row_id)
    else this.plan.conflicts.push(conflict)
  }
}

/** Digest of everything stored that `resumePlanOf` depends on. */
export function contentDigestOf({ index }: StoredRows, answerIds: readonly string[]): string {
  const hash = createHash('sha256')
  index.addTo(hash)
  return hash.update(`answers\0${answerIds.toSorted().join()}`).digest('hex')
}

const PLAN_PIECE = 2048

/** The resume plan of a run's cells; other work of the process goes on meanwhile. */
export async function resumePlanOf(
  rows: StoredRows,
  answers: PendingAnswers,
  cells: Iterable<RowIdentity>,
): Promise<ResumePlan> {
  const planner = new ResumePlanner(rows, answers)
  let seen = 0
  for (const cell of cells) {
    const waiting = planner.add(cell)
    if (waiting !== null) await waiting
    seen += 1
    if (seen % PLAN_PIECE === 0) await nextTurn()
  }
  return planner.plan
}
