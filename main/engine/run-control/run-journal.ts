import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Identifier } from '../../../contract/index.ts'
import { DatasetSteps, RunJob } from '../../../contract/control/run-job.ts'
import { writeAtomic } from '../../lib/write-atomic.ts'

/** What is known of a run on disk: enough to go on with it after the engine has died. */
export const JournalEntry = z.strictObject({
  schema_version: z.literal(1),
  ...RunJob.omit({ progress: true, resumable: true }).shape,
  /** Steps and counts of each dataset, so that they can be shown after a restart of the engine. */
  datasets: z.array(DatasetSteps).default([]),
  /** Position in the queue: smaller numbers first. */
  order: z.number(),
  /** Datasets whose cold reset is done and must not be done again. */
  cold_datasets: z.array(Identifier),
})
export type JournalEntry = z.infer<typeof JournalEntry>

/** Journals of runs, one file each, replaced whole: `<folder>/<run_id>.json`. */
export class RunJournal {
  readonly #folder: string
  /** Writes to one file happen in the order they were asked for. */
  readonly #writes = new Map<string, Promise<unknown>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Every entry; a file that is none is set aside under another name and told. */
  async load(tell: (message: string) => void): Promise<JournalEntry[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    })
    const entries: JournalEntry[] = []
    for (const name of names.filter((each) => each.endsWith('.json') && !each.startsWith('.'))) {
      const file = join(this.#folder, name)
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        // A folder under a journal's name is no journal either.
        if ((error as NodeJS.ErrnoException).code === 'EISDIR') return ''
        throw error
      })
      const entry = parsed(text)
      if (entry !== null && `${entry.run_id}.json` === name) {
        entries.push(entry)
        continue
      }
      await rename(file, `${file}.unusable`)
      tell(`${file} is not a run's journal and was set aside; the run's cells are not touched`)
    }
    return entries
  }

  /** Durable when it resolves. */
  async save(entry: JournalEntry): Promise<void> {
    const text = `${JSON.stringify(entry, null, 2)}\n`
    const before = this.#writes.get(entry.run_id) ?? Promise.resolve()
    const write = before
      .catch(() => undefined)
      .then(() => writeAtomic(join(this.#folder, `${entry.run_id}.json`), text))
    this.#writes.set(entry.run_id, write)
    await write
  }
}

function parsed(text: string): JournalEntry | null {
  try {
    const result = JournalEntry.safeParse(JSON.parse(text))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
