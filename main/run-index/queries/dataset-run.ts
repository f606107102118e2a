import type Database from 'better-sqlite3'
import { BaseApproach } from '../../../contract/approaches.ts'
import { EvidenceCapability } from '../../../contract/common.ts'

export interface DatasetRun {
  id: number
  run: number
  kind: 'canonical' | 'historical'
  questions: number
}

export interface ShownAlias {
  id: number
  model: string
  base_model: BaseApproach | null
  flavor: string | null
  evidence_capability: EvidenceCapability | null
  unavailable: string | null
}

/** Null when the index has no such dataset run. */
export function findDatasetRun(db: Database.Database, runId: string, datasetId: string): DatasetRun | null {
  const found = db
    .prepare<[string, string], DatasetRun>(
      `SELECT d.id, d.run, d.kind, d.questions FROM dataset_runs d
       WHERE d.run = (SELECT id FROM runs WHERE run_id = ?) AND d.dataset = (SELECT id FROM datasets WHERE dataset_id = ?)`,
    )
    .get(runId, datasetId)
  return found ?? null
}

export const notFound = (what: string) =>
  ({ ok: false, code: 'not_found', message: `the index has no ${what}` }) as const

type StoredAlias = Omit<ShownAlias, 'base_model' | 'evidence_capability'> & {
  base_model: string | null
  evidence_capability: string | null
  position: number | null
}

/** The aliases of a dataset run: as the aggregate orders them, others after them in ladder order. */
export function aliasesOf(db: Database.Database, scope: number): ShownAlias[] {
  return db
    .prepare<[number], StoredAlias>(
      `SELECT a.id, a.model, d.base_model, d.flavor, d.evidence_capability, d.unavailable, d.position
       FROM dataset_run_aliases d JOIN aliases a ON a.id = d.alias WHERE d.scope = ?`,
    )
    .all(scope)
    .sort(inOrder)
    .map(({ position: _, base_model, evidence_capability, ...alias }) => ({
      ...alias,
      base_model: BaseApproach.safeParse(base_model).data ?? null,
      evidence_capability: EvidenceCapability.safeParse(evidence_capability).data ?? null,
    }))
}

/** The requested aliases that the dataset run has, in the order of the request; all when none is requested. */
export function shownAliases(db: Database.Database, scope: number, asked: readonly string[] | undefined): ShownAlias[] {
  const all = aliasesOf(db, scope)
  if (asked === undefined) return all
  return [...new Set(asked)].flatMap((model) => all.find((alias) => alias.model === model) ?? [])
}

const rung = ({ base_model }: StoredAlias): number => {
  const index = (BaseApproach.options as readonly (string | null)[]).indexOf(base_model)
  return index === -1 ? BaseApproach.options.length : index
}

function inOrder(a: StoredAlias, b: StoredAlias): number {
  if (a.position !== null || b.position !== null)
    return (a.position ?? Number.MAX_SAFE_INTEGER) - (b.position ?? Number.MAX_SAFE_INTEGER)
  return (
    rung(a) - rung(b) ||
    Number(a.flavor !== null) - Number(b.flavor !== null) ||
    (a.model < b.model ? -1 : Number(a.model > b.model))
  )
}
