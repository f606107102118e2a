import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { cellId } from '../../evidence/row-id.ts'

/** What a page can name of a claim in a database, which is a part of a hash. */
export interface NamedCell {
  question_id: string
  model: string
  repeat: number
}

/** Digits of a row id that a claim shows. */
const DIGITS = 16
/** A larger matrix is not named: its hashes would take seconds. */
const MAX_CELLS = 100_000
/** Hashes between two turns of the event loop. */
const PIECE = 2000

interface Names {
  runId: string
  dataset: LadderDataset
  aliases: Experiment['aliases']
  repeats: number
}

/** Finds the cells that claims are on. Keeps the names of the dataset run that it was asked for last. */
export class CellsInHand {
  #last: { of: Names; names: Promise<ReadonlyMap<string, NamedCell>> } | null = null

  /** By claim; those that are no first row of a cell of this dataset are left out. */
  namesOf(of: Names): Promise<ReadonlyMap<string, NamedCell>> {
    const last = this.#last
    const isSame =
      last !== null &&
      last.of.runId === of.runId &&
      last.of.dataset === of.dataset &&
      last.of.aliases === of.aliases &&
      last.of.repeats === of.repeats
    if (isSame) return last.names
    const names = hashed(of)
    this.#last = { of, names }
    return names
  }
}

async function hashed({ runId, dataset, aliases, repeats }: Names): Promise<ReadonlyMap<string, NamedCell>> {
  const names = new Map<string, NamedCell>()
  if (dataset.questions.length * aliases.size * repeats > MAX_CELLS) return names
  for (let repeat = 1; repeat <= repeats; repeat += 1)
    for (const { id: question_id } of dataset.questions)
      for (const model of aliases.keys()) {
        const id = cellId({ run_id: runId, dataset_id: dataset.dataset.id, question_id, model, repeat })
        names.set(id.slice(0, DIGITS), { question_id, model, repeat })
        if (names.size % PIECE === 0) await new Promise((turn) => setImmediate(turn))
      }
  return names
}
