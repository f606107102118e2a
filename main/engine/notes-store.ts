import { readFile, rename } from 'node:fs/promises'
import { z } from 'zod'
import { Sha256 } from '../../contract/common.ts'
import { CellNote, RunNote, type CellNotes } from '../../contract/control/stored-runs.ts'
import { jsonIn } from '../../core/json.ts'
import { oneAfterAnother } from '../lib/one-after-another.ts'
import { orIfMissing } from '../lib/files/missing-file.ts'
import { writeAtomic } from '../lib/files/write-atomic.ts'

const NotesFile = z.strictObject({
  schema_version: z.literal(1),
  /** Files of earlier versions have no labels. */
  runs: z.record(z.string(), RunNote.extend({ label: RunNote.shape.label.default('') })),
  /** By run, then by row id. */
  cells: z.record(z.string(), z.record(Sha256, CellNote)),
})
type NotesFile = z.infer<typeof NotesFile>

const NO_NOTE: RunNote = { label: '', starred: false, tags: [], note: '' }

/**
 * Keeps what a person wrote about runs and cells, in one file of the state folder. It is not part of the evidence: a run is the same run with and
 * without notes, and notes outlive a run that is moved to the trash.
 */
export class NotesStore {
  readonly #file: string
  #notes: NotesFile
  readonly #inTurn = oneAfterAnother()

  private constructor(file: string, notes: NotesFile) {
    this.#file = file
    this.#notes = notes
  }

  /** Reads the file; one that is not usable is renamed and reported by `warn`. */
  static async open(file: string, warn: (message: string) => void): Promise<NotesStore> {
    const text = await orIfMissing(readFile(file, 'utf8'), null)
    const empty: NotesFile = { schema_version: 1, runs: {}, cells: {} }
    if (text === null) return new NotesStore(file, empty)
    const parsed = NotesFile.safeParse(jsonIn(text)).data
    if (parsed !== undefined) return new NotesStore(file, parsed)
    await rename(file, `${file}.unusable`)
    warn(`${file} holds no notes of this version and was renamed to ${file}.unusable. Results are unchanged.`)
    return new NotesStore(file, empty)
  }

  ofRun(runId: string): RunNote {
    return own(this.#notes.runs, runId) ?? NO_NOTE
  }

  ofCells(runId: string): CellNotes['cells'] {
    const cells = Object.entries(own(this.#notes.cells, runId) ?? {})
    return cells.map(([row_id, note]) => ({ row_id, ...note }))
  }

  /** Durable when it resolves. */
  annotateRun(runId: string, change: Partial<RunNote>): Promise<RunNote> {
    return this.#write(({ runs, ...rest }) => {
      const next = { ...(own(runs, runId) ?? NO_NOTE), ...change }
      const note = { ...next, tags: [...new Set(next.tags)] }
      return [{ ...rest, runs: { ...runs, [runId]: note } }, note]
    })
  }

  /** Durable when it resolves. An empty note without a flag is removed. */
  annotateCell(runId: string, rowId: string, note: CellNote): Promise<CellNote> {
    return this.#write(({ cells, ...rest }) => {
      const { [rowId]: _before, ...others } = own(cells, runId) ?? {}
      const isEmpty = !note.flagged && note.note.trim() === ''
      const ofRun = isEmpty ? others : { ...others, [rowId]: note }
      return [{ ...rest, cells: { ...cells, [runId]: ofRun } }, note]
    })
  }

  /** Changes are made one after another; one that cannot be written has not happened. */
  #write<Result>(change: (notes: NotesFile) => [NotesFile, Result]): Promise<Result> {
    return this.#inTurn(async () => {
      const [next, result] = change(this.#notes)
      await writeAtomic(this.#file, `${JSON.stringify(next, null, 2)}\n`)
      this.#notes = next
      return result
    })
  }
}

/** Names come from files: `constructor` is the name of a run, not a member of every object. */
const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
