import type { EvidenceNotice, EvidenceRefusal, OpenOutcome } from './evidence-log.ts'
import { nodeFileOps } from './files/file-ops.ts'
import { openEvidenceLog } from './open-evidence-log.ts'

/** One dataset run, and its evidence file in the folder of results: the log itself, or the copy of what a database holds. */
export interface StoredRunPlace {
  runId: string
  datasetId: string
  file: string
}

export interface RunToOpen extends StoredRunPlace {
  /** True to start a new log when there is none; the folder of the file must exist. */
  create: boolean
  signal?: AbortSignal | undefined
  /** Called with what the log repaired or could not do by itself. */
  onNotice?: ((notice: EvidenceNotice) => void) | undefined
}

export type StoreOutcome = { ok: true } | { ok: false; refusal: EvidenceRefusal }

/** A file that is kept up to date while a run goes on. */
export interface Following {
  stop(): Promise<void>
}

/** Describes where the evidence of runs is kept. What forbids the use of a run's evidence comes back as a refusal. */
export interface EvidenceStore {
  /** Address of the database without credentials; null where evidence is in files. */
  readonly database: string | null
  open(run: RunToOpen): Promise<OpenOutcome>
  /** Returns true when there is any evidence of the run. Rejects when the store cannot be asked. */
  has(run: StoredRunPlace): Promise<boolean>
  /** Removes what is kept outside of the folder of results. Refuses while a living process has the run open. */
  remove(run: StoredRunPlace): Promise<StoreOutcome>
  /** Returns what `remove` would remove: rows and bytes outside of the folder of results. */
  outside(run: StoredRunPlace): Promise<{ name: string; rows: number; sizeBytes: number } | null>
  /** Makes the file hold every stored row, for all that reads files. */
  bringToFile(run: StoredRunPlace): Promise<StoreOutcome>
  /** Keeps the file up to date from now on, for pages that show a run as it goes. A problem is reported once and ends it. */
  follow(run: StoredRunPlace, onProblem: (message: string) => void): Following
}

/** Each run's log is its file. */
export const fileStore: EvidenceStore = {
  database: null,
  open: ({ file, datasetId: _, signal, onNotice, ...options }) =>
    openEvidenceLog(file, {
      ...options,
      ...(signal === undefined ? {} : { signal }),
      ...(onNotice === undefined ? {} : { onNotice }),
    }),
  has: async ({ file }) => nodeFileOps.state(file) !== null,
  remove: async () => ({ ok: true }),
  outside: async () => null,
  bringToFile: async () => ({ ok: true }),
  follow: () => ({ stop: async () => undefined }),
}
