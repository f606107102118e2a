import { APPROACHES, approachDescriptor, type BaseApproach } from '../../../contract/approaches.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility, ResolvedModels } from '../../../contract/evidence/provenance.ts'
import type { PlanConflict } from '../../../contract/evidence/run-event.ts'
import {
  embeddingSpaceOf,
  isRuleBased,
  MODEL_BACKENDS,
  type ModelChoice,
  writerOf,
} from '../../../contract/manifests/model-backends.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import {
  ABSENT,
  type Difference,
  differences,
  firstDifference,
  IDENTITY_PARTS,
  type RowIdentity,
} from './row-identity.ts'

// Which conditions of a row bind the other rows of its run (decision 048). Each row records everything that it was made under, and most of it must be equal in
// all rows of a run. Two parts bind only what they may have changed: the settings of a model bind the answers that it had a part in, so that a failed
// row binds none, and the id of an ingestion binds the answers from texts that a model wrote then. What the models of an ingestion made stays stored:
// a failed row, too, binds the settings that the names of its collections do not carry. Every comparison of conditions is made by this file.

/** The part of a row that decides what its conditions bind. */
type BoundRow = Pick<CanonicalRow, 'status' | 'grading_refused' | 'reproducibility'> & {
  /** Its base may be one that this version does not have. */
  approach: { base_model: string } & Pick<CanonicalRow['approach'], 'parameters'>
}

export const INGESTION_JOB = 'reproducibility.ingestion.job_id'
/** Of rows stored before the settings of each model were recorded: one hash of all sets. */
const MODELS_HASH = 'reproducibility.config_hashes.models'
const ROLES = 'reproducibility.runtime.models.roles.'

/** The role whose model a field describes; null for every other field. */
export const roleOfField = (path: string): string | null =>
  path.startsWith(ROLES) ? path.slice(ROLES.length).split('.', 1)[0]! : null

/** True for a difference in the settings of models. */
const isOfModels = (path: string): boolean => path === MODELS_HASH || path.startsWith(ROLES)

/** The models that grade answers, which no approach asks. */
const GRADERS: readonly string[] = ['evaluator', 'evaluator_embed']

/** Everything that an approach may read or ask; an approach of another version may do all of it. */
function useOf({ base_model: base, parameters }: BoundRow['approach']) {
  if (!Object.hasOwn(APPROACHES, base)) return { graph: true, contexts: true, calls: null }
  const { usesGraph, usesContextual, usesTree, usualCalls } = approachDescriptor(base as BaseApproach)
  const calls = usualCalls === null ? null : (usualCalls?.(parameters) ?? {})
  return { graph: usesGraph === true, contexts: usesContextual === true || usesTree === true, calls }
}

/** True where another model in this role might have given the row another answer or other grades. Roles that any approach may ask count for all. */
function hasPart(role: string, { status, grading_refused: isRefused, approach, reproducibility }: BoundRow): boolean {
  if (status !== 'ok') return false
  const { graph, contexts, calls } = useOf(approach)
  switch (role) {
    case 'evaluator':
    case 'evaluator_embed':
      return reproducibility.runtime.providers['evaluator'] !== 'disabled' && isRefused !== true
    case 'graph_extract':
    case 'graph_keyword':
    case 'graph_query':
      return graph
    case 'contextual_blurb':
      return contexts
    case 'agentic':
    case 'workflow_classifier':
      return calls === null || role in calls
    default:
      return true
  }
}

/** True for an answer from a graph, contexts or summaries that a language model wrote: it may write others from equal documents. Rules write the same again. */
function readsWrittenTexts({ status, approach, reproducibility }: BoundRow): boolean {
  if (status !== 'ok') return false
  const { graph, contexts } = useOf(approach)
  const roles = reproducibility.runtime.models?.roles
  const isWritten = (role: string): boolean => !isRuleBased(roles?.[role]?.backend ?? '')
  return (graph && isWritten('graph_extract')) || (contexts && isWritten('contextual_blurb'))
}

type Roles = NonNullable<Reproducibility['runtime']['models']>['roles']

/** The models that ingestion asks, each with the name that its collections carry. Under another name the collections are made again. */
const NAMES_IN_COLLECTIONS: Readonly<Record<string, (choice: ModelChoice) => string>> = {
  embed: embeddingSpaceOf,
  graph_extract: writerOf,
  contextual_blurb: writerOf,
}

/** True for a model of the ingestion of both, whose vectors or texts stay stored although a field of it differs, such as its address. */
function isKeptByIngestion(path: string, row: BoundRow, other: Reproducibility): boolean {
  const role = roleOfField(path)
  const nameOf = role === null ? undefined : NAMES_IN_COLLECTIONS[role]
  if (role === null || nameOf === undefined || row.reproducibility.ingestion === null) return false
  if (!hasPart(role, { ...row, status: 'ok' })) return false
  const names = [row.reproducibility, other].map(({ runtime: { models } }) => nameIn(models?.roles ?? {}, role, nameOf))
  return names[0] === names[1]
}

/** Null for a backend that this version does not have. */
function nameIn(roles: Roles, role: string, nameOf: (choice: ModelChoice) => string): string | null {
  const { backend, model, settings } = roles[role] ?? { backend: '', model: '' }
  if (!Object.hasOwn(MODEL_BACKENDS, backend)) return null
  return nameOf({ backend, model, ...settings } as ModelChoice)
}

/** True where a row forbids other rows of its run that record another value in a field. */
const forbids = (path: string, row: BoundRow, other: Reproducibility): boolean =>
  binds(path, row) || isKeptByIngestion(path, row, other)

/** True where the value that a row records in a field may have changed its answer or grades. */
function binds(path: string, row: BoundRow): boolean {
  if (path === INGESTION_JOB) return readsWrittenTexts(row)
  if (path === MODELS_HASH) return row.status === 'ok'
  const role = roleOfField(path)
  return role === null || hasPart(role, row)
}

/** The setting of a model that holds a digest of its address or path, where a variable completes it. */
export const RESOLVED_DIGEST = 'resolved_digest'

/** True where only one side records the value of a variable: rows of before record none. */
const isUnknown = ({ path, stored, current }: Difference): boolean =>
  path.endsWith(`.${RESOLVED_DIGEST}`) && (stored === ABSENT || current === ABSENT)

const knownDifferences = (stored: unknown, current: unknown, path: string): IteratorObject<Difference> =>
  differences(stored, current, [path]).filter((difference) => !isUnknown(difference))

/** The fields in which both conditions are known and differ. */
export const allDifferences = (stored: Reproducibility, current: Reproducibility): IteratorObject<Difference> =>
  knownDifferences(stored, current, 'reproducibility')

/** True for models whose settings are equal as far as both are known. */
export const areSameModels = (stored: ResolvedModels | null, current: ResolvedModels | null): boolean =>
  knownDifferences(stored, current, 'models').next().done === true

/** The fields in which a stored row forbids that rows of these conditions are added to its run. */
export function* conflictsWith(stored: BoundRow, current: Reproducibility): Generator<Difference> {
  if (stored.reproducibility === current) return
  for (const difference of allDifferences(stored.reproducibility, current))
    if (forbids(difference.path, stored, current)) yield difference
}

/** Names the first field that forbids reusing a stored row for a planned cell, such as `reproducibility.seed`; null when there is none. */
export function identityConflict(stored: RowIdentity & BoundRow, current: RowIdentity): PlanConflict | null {
  for (const part of IDENTITY_PARTS) {
    const found =
      part === 'reproducibility'
        ? conflictsWith(stored, current.reproducibility)
        : [firstDifference(stored[part], current[part], [part])]
    for (const difference of found) if (difference !== null) return { row_id: current.row_id, ...difference }
  }
  return null
}

/** The fields of a run that has no row yet, or only failed ones, which forbid rows of these conditions. */
export function* commonConflicts(stored: Reproducibility, current: Reproducibility): Generator<Difference> {
  for (const difference of allDifferences(stored, current))
    if (difference.path !== INGESTION_JOB && !isOfModels(difference.path)) yield difference
}

/** The conditions of a stored answer that is graded under those of today. */
export function gradedUnder(stored: Reproducibility, { runtime: { models: now } }: Reproducibility): Reproducibility {
  const { models } = stored.runtime
  if (models === null || now === null) return stored
  const graders = GRADERS.flatMap((role) => (now.roles[role] === undefined ? [] : [[role, now.roles[role]]]))
  const roles = { ...models.roles, ...(Object.fromEntries(graders) as typeof models.roles) }
  return { ...stored, runtime: { ...stored.runtime, models: { ...models, roles } } }
}

/** True where a setting of a model that the approach of a failed row asks has changed since, so that the cell may not fail again. */
export function isOutdatedFailure(row: BoundRow, current: Reproducibility): boolean {
  if (row.reproducibility === current) return false
  const asked: BoundRow = { ...row, status: 'ok' }
  return allDifferences(row.reproducibility, current).some(
    ({ path }) => isOfModels(path) && !GRADERS.includes(roleOfField(path) ?? '') && binds(path, asked),
  )
}

/** Recognizes rows that bind others alike: of equal conditions, base approach and outcome. */
export class RowKinds {
  #last: { reproducibility: Reproducibility; text: string } | null = null

  keyOf(row: BoundRow): string {
    const { status, grading_refused: isRefused, approach, reproducibility } = row
    return `${status === 'ok'} ${isRefused === true} ${approach.base_model} ${this.textOf(reproducibility)}`
  }

  /** Readers may share one object among rows. */
  textOf(reproducibility: Reproducibility): string {
    if (this.#last?.reproducibility !== reproducibility)
      this.#last = { reproducibility, text: JSON.stringify(reproducibility) }
    return this.#last.text
  }
}

/** The conditions of the rows of one run, taken in one by one in any order. */
export class SharedConditions {
  /** One row for each kind of row and its conditions. */
  readonly #seen = new Map<string, BoundRow>()
  /** Maps the text of conditions to the time of their last row. */
  readonly #lastAt = new Map<string, string>()
  readonly #kinds = new RowKinds()

  /** The conditions of the row that was made last, with the setting of each role that an answer binds taken from that answer; its keys are sorted. Null before the first row. */
  get value(): Reproducibility | null {
    let found: [string, string] | null = null
    for (const each of this.#lastAt)
      if (found === null || each[1] > found[1] || (each[1] === found[1] && each[0] > found[0])) found = each
    if (found === null) return null
    const last = JSON.parse(found[0]) as Reproducibility
    const roles = last.runtime.models?.roles ?? {}
    for (const row of this.#seen.values())
      for (const [role, asked] of Object.entries(row.reproducibility.runtime.models?.roles ?? {}))
        if (Object.hasOwn(roles, role) && hasPart(role, row)) roles[role] = asked
    return JSON.parse(canonicalJson(last)) as Reproducibility
  }

  /** Adds a row. Returns a field in which the first row of its kind differs from an earlier row, where each of the two binds the other; else null. */
  addAndCompare(row: BoundRow & Pick<CanonicalRow, 'finished_at'>): Difference | null {
    const text = this.#kinds.textOf(row.reproducibility)
    if (row.finished_at > (this.#lastAt.get(text) ?? '')) this.#lastAt.set(text, row.finished_at)
    const key = this.#kinds.keyOf(row)
    if (this.#seen.has(key)) return null
    const others = [...this.#seen.values()]
    this.#seen.set(key, row)
    for (const other of others)
      for (const difference of conflictsWith(other, row.reproducibility))
        if (forbids(difference.path, row, other.reproducibility)) return difference
    return null
  }
}
