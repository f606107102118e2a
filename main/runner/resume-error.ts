import type { PlanConflict } from '../../contract/index.ts'
import type { EvidenceRefusal } from '../evidence/evidence-log.ts'

/** Stored rows were made under other conditions; merging would compare unequal things. Nothing was called. */
export class ResumeConflictError extends Error {
  override readonly name = 'ResumeConflictError'
  readonly code = 'resume_conflict'
  readonly conflicts: PlanConflict[]

  constructor(file: string, conflicts: PlanConflict[]) {
    const byPath = Map.groupBy(conflicts, (conflict) => conflict.path)
    const lines = [...byPath].slice(0, 8).map(([path, all]) => {
      const { stored, current } = all[0]!
      return `  ${path}: stored ${stored}, now ${current} (${all.length} ${all.length === 1 ? 'row' : 'rows'})`
    })
    super(
      [
        `${file} holds rows that do not belong to this run:`,
        ...lines,
        'Give the run another name (--run-id), or set its working artifacts aside with --cold-reset.',
      ].join('\n'),
    )
    this.conflicts = conflicts
  }
}

/** The evidence file cannot be opened as it is; the message says where the damage is and what helps. */
export class EvidenceRefusedError extends Error {
  override readonly name = 'EvidenceRefusedError'
  readonly code: string
  readonly refusal: EvidenceRefusal

  constructor(refusal: EvidenceRefusal) {
    super(`${refusal.message}\n${refusal.remedy}`)
    this.code = refusal.code
    this.refusal = refusal
  }
}
