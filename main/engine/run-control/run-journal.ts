import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Identifier } from '../../../contract/common.ts'
import { DatasetProgress, RunJob } from '../../../contract/control/run-job.ts'
import { jsonIn } from '../../../core/json.ts'
import { type InTurn, oneAfterAnother } from '../../lib/one-after-another.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'

/** A run on disk: enough to continue it after the engine has ended. */
export const JournalEntry = z.strictObject({
  schema_version: z.literal(1),
  ...RunJob.omit({ progress: true, resumable: true }).shape,
  /** Steps and counts of each dataset, so that they can be shown after a restart of the engine. */
  datasets: z.array(DatasetProgress).default([]),
  /** Position in the queue: smaller numbers first. */
  order: z.number(),
  /** Datasets whose cold reset is done and must not be done again. */
  cold_datasets: z.array(Identifier),
})
export type JournalEntry = z.infer<typeof JournalEntry>

/** The journals of runs, one file each, replaced as a whole: `<folder>/<run_id>.json`. */
export class RunJournal {
  readonly #folder: string
  /** Writes to one file happen in the order of the calls. */
  readonly #turns = new Map<string, InTurn>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Every entry. A file that is not a journal is renamed and reported by `warn`. */
  async load(warn: (message: string) => void): Promise<JournalEntry[]> {
    const names = await orIfMissing(readdir(this.#folder), [])
    const entries: JournalEntry[] = []
    for (const name of names.filter((each) => each.endsWith('.json') && !each.startsWith('.'))) {
      const file = join(this.#folder, name)
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        // A folder with the name of a journal is not a journal either.
        if ((error as NodeJS.ErrnoException).code === 'EISDIR') return ''
        throw error
      })
      const entry = JournalEntry.safeParse(jsonIn(text)).data
      if (entry !== undefined && `${entry.run_id}.json` === name) {
        entries.push(entry)
        continue
      }
      await rename(file, `${file}.unusable`)
      warn(`${file} is not a run's journal and was renamed to ${file}.unusable. The run's answers are unchanged.`)
    }
    return entries
  }

  /** Durable when it resolves. */
  async save(entry: JournalEntry): Promise<void> {
    const text = `${JSON.stringify(entry, null, 2)}\n`
    await this.#inTurn(entry.run_id, (file) => writeAtomic(file, text))
  }

  /** Removes the entry of a run; one that is not there is no error. */
  async remove(runId: string): Promise<void> {
    await this.#inTurn(runId, (file) => rm(file, { force: true }))
  }

  async #inTurn(runId: string, work: (file: string) => Promise<unknown>): Promise<void> {
    const inTurn = this.#turns.get(runId) ?? oneAfterAnother()
    this.#turns.set(runId, inTurn)
    await inTurn(() => work(join(this.#folder, `${runId}.json`)))
  }
}
