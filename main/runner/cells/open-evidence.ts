import { conflictingRows, type PlanConflict, type RunEvent } from '../../../contract/evidence/run-event.ts'
import type { ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { RefusalError } from '../../evidence/errors.ts'
import type { EvidenceLog, EvidenceRefusal } from '../../evidence/evidence-log.ts'
import type { EvidenceStore, StoredRunPlace, StoreOutcome } from '../../evidence/evidence-store.ts'
import { INGESTION_JOB } from '../../evidence/rows/conditions.ts'
import { differingWords } from './differing-conditions.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { plural } from '../../../contract/words.ts'

const MAX_FIELDS = 8

/** A value with digests and commits as people compare them: by their first 12 digits. */
const short = (value: string): string => value.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{8,}\b/g, '$1')

/** Stored rows were made under other conditions; merging would compare unequal things. Nothing was called. */
export class ResumeConflictError extends Error {
  override readonly name = 'ResumeConflictError'
  readonly code = 'resume_conflict'
  readonly conflicts: PlanConflict[]

  constructor(file: string, conflicts: PlanConflict[]) {
    const byPath = Map.groupBy(conflicts, (conflict) => conflict.path)
    const lines = [...byPath].slice(0, MAX_FIELDS).map(([path, all]) => {
      const { stored, current } = all[0]!
      const rows = conflictingRows(all)
      return `  ${path}: stored ${short(stored)}, now ${short(current)}${rows === 0 ? '' : ` (${plural(rows, 'row')})`}`
    })
    // What a model wrote cannot be written again as it was.
    const restore = [
      ...(byPath.has(INGESTION_JOB) ? ['bring the collections of this run back where they are in the trash'] : []),
      ...(byPath.size > 1 || !byPath.has(INGESTION_JOB) ? ['restore what is named above'] : []),
    ].join(' and ')
    const more = byPath.size > lines.length ? [`  and ${plural(byPath.size - lines.length, 'other field')}`] : []
    super(
      [
        `${file}: this run started under other conditions, and its rows must not be mixed with rows made now.`,
        `What differs: ${differingWords(conflicts)}.`,
        remedyFor({
          panel: `Start a new run under another name, ${restore}, or delete this run and start it again with "Cold start".`,
          commandLine: `Start a new run with --run-id, ${restore}, or delete this run and start it again with --cold-reset.`,
        }),
        'The fields with their values:',
        ...lines,
        ...more,
      ].join('\n'),
    )
    this.conflicts = conflicts
  }
}

/** The evidence file cannot be opened as it is; the message states where the damage is and how to fix it. */
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

interface EvidenceToOpen extends StoredRunPlace {
  store: EvidenceStore
  create: boolean
  emit: (event: RunEvent) => void
  signal?: AbortSignal
}

/** Opens a run's evidence. What the log repaired, or could not do, is a warning of the run. Throws `EvidenceRefusedError`. */
export async function openEvidence({ store, emit, ...options }: EvidenceToOpen): Promise<EvidenceLog> {
  const onNotice = ({ message }: { message: string }): void => emit({ type: 'notice', level: 'warning', message })
  const opened = await store.open({ ...options, onNotice })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  return opened.log
}

interface RunInStore {
  store: EvidenceStore
  runId: string
  dataset: { dataset: { id: string } }
  files: Pick<ArtifactFiles, 'evidence'>
}

/** A dataset run as its store names it. */
export const placeOf = ({ runId, dataset, files }: Omit<RunInStore, 'store'>): StoredRunPlace => ({
  runId,
  datasetId: dataset.dataset.id,
  file: files.evidence,
})

/** Returns true when anything of the run is stored. Throws `EvidenceRefusedError` where the store cannot be asked. */
export async function isStoredRun(run: RunInStore): Promise<boolean> {
  try {
    return await run.store.has(placeOf(run))
  } catch (error) {
    throw error instanceof RefusalError ? new EvidenceRefusedError(error.refusal) : error
  }
}

/** Makes the evidence file hold every stored row. Throws `EvidenceRefusedError`. */
export const bringToFile = async (run: RunInStore): Promise<void> => refused(await run.store.bringToFile(placeOf(run)))

export function refused(outcome: StoreOutcome): void {
  if (!outcome.ok) throw new EvidenceRefusedError(outcome.refusal)
}
