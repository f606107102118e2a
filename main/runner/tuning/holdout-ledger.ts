// The ledger of a project's holdouts, `tuning/holdouts.jsonl`: how the questions of each dataset were divided, once, and each time that a holdout was looked at. It is part of the
// project and not of the results, because what was seen stays seen whatever run folder is removed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LedgerLine } from '../../../contract/evidence/tuning.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { openSealedJournal, readSealedJournal, type JournalProblem } from '../../evidence/files/sealed-journal.ts'
import { TuningError } from './tuning-error.ts'
import { type QuestionSplit, type Side, splitQuestions } from '../../statistics/tuning/split-questions.ts'

export const HOLDOUT_LEDGER = 'tuning/holdouts.jsonl'

type Opening = Extract<LedgerLine, { kind: 'opening' }>
type Split = Extract<LedgerLine, { kind: 'split' }>

function errorOf(problem: JournalProblem): TuningError {
  if (problem.kind === 'in_use')
    return new TuningError(
      'tuning_in_use',
      `${HOLDOUT_LEDGER}: another process has it open; try again when it has ended`,
    )
  const lost = 'Restore the file from a copy: without it earlier openings are unknown'
  return new TuningError(
    'tuning_damaged',
    `${HOLDOUT_LEDGER}:${problem.line}: the line is not the one that was written. ${lost}`,
  )
}

/** All lines of a project's ledger, in their order; none where it has none. Throws `TuningError` for a damaged one. */
export async function readLedger(root: string): Promise<LedgerLine[]> {
  const file = join(root, HOLDOUT_LEDGER)
  return existsSync(file) ? readSealedJournal(file, LedgerLine, errorOf) : []
}

async function addToLedger<Result>(
  root: string,
  decide: (lines: readonly LedgerLine[]) => { result: Result; line: LedgerLine | null },
): Promise<Result> {
  const file = join(root, HOLDOUT_LEDGER)
  const journal = await openSealedJournal(file, LedgerLine, errorOf)
  try {
    const { result, line } = decide(journal.entries)
    if (line !== null) await journal.append(line)
    return result
  } finally {
    await journal.close()
  }
}

interface SplitWish {
  dataset: string
  questions: readonly { id: string; cluster: string }[]
  seed: string
  share: number
  now: Date
}

/**
 * The division of a dataset's questions by what the ledger has: what was development or holdout once stays that, so that no later tuning holds out what an earlier one has seen.
 * Reads only; `recordSplit` keeps it.
 */
export function splitBy(
  lines: readonly LedgerLine[],
  { dataset, questions, seed, share }: SplitWish,
): QuestionSplit & { isRecorded: boolean } {
  const earlier = splitsOf(lines, dataset)
  const known = new Map<string, Side>(
    earlier.flatMap(({ development, holdout }) => [
      ...holdout.map((id) => [id, 'holdout'] as const),
      ...development.map((id) => [id, 'development'] as const),
    ]),
  )
  const split = splitQuestions(questions, { seed: `${dataset}/${seed}`, share, known })
  return { ...split, isRecorded: questions.every(({ id }) => known.has(id)) }
}

const splitsOf = (lines: readonly LedgerLine[], dataset: string): Split[] =>
  lines.filter((line): line is Split => line.kind === 'split' && line.dataset === dataset)

/** Records how a dataset is divided, unless the ledger has it already. */
export const recordSplit = (root: string, wish: SplitWish): Promise<QuestionSplit> =>
  addToLedger(root, (lines) => {
    const { isRecorded, ...split } = splitBy(lines, wish)
    const { dataset, seed, share, now } = wish
    const line = { kind: 'split', at: now.toISOString(), dataset, seed, share, ...split } as const
    return { result: split, line: isRecorded ? null : line }
  })

/** Openings of a holdout before this one: those of other tunings, or for another winner, that share a question with it. */
export function openingsBefore(lines: readonly LedgerLine[], opening: Omit<Opening, 'kind' | 'at'>): Opening[] {
  const questions = new Set(opening.questions)
  const all = lines.filter(
    (line): line is Opening =>
      line.kind === 'opening' && line.dataset === opening.dataset && line.questions.some((id) => questions.has(id)),
  )
  const own = all.findIndex((line) => isSame(line, opening))
  return own === -1 ? all : all.slice(0, own)
}

const isSame = (one: Omit<Opening, 'kind' | 'at'>, other: Omit<Opening, 'kind' | 'at'>): boolean =>
  one.tuning === other.tuning &&
  one.metric === other.metric &&
  canonicalJson(one.winner) === canonicalJson(other.winner)

/** Writes that a holdout is about to be looked at, and returns which time it is, from 1. A tuning that is resumed opens it once. */
export const openHoldout = (root: string, opening: Omit<Opening, 'kind' | 'at'>, now: Date): Promise<number> =>
  addToLedger(root, (lines) => {
    const before = openingsBefore(lines, opening)
    const isKnown = lines.some(
      (line) => line.kind === 'opening' && line.dataset === opening.dataset && isSame(line, opening),
    )
    const line = { kind: 'opening', at: now.toISOString(), ...opening } as const
    return { result: before.length + 1, line: isKnown ? null : line }
  })

type Winner = Extract<LedgerLine, { kind: 'winner' }>

/** Records the settings that a tuning chose, once for each that it showed of them. Aliases that had them before its first line stay those that had them. */
export const recordWinner = (root: string, winner: Omit<Winner, 'kind' | 'at'>, now: Date): Promise<void> =>
  addToLedger(root, (lines) => {
    const of = ({ tuning, parameters, chunks }: Omit<Winner, 'kind' | 'at'>) =>
      canonicalJson([tuning, parameters, chunks])
    const earlier = lines.filter((line): line is Winner => line.kind === 'winner' && of(line) === of(winner))
    const existing = earlier[0]?.existing ?? winner.existing
    const isKnown = earlier.at(-1)?.state === winner.state
    const line = { kind: 'winner', at: now.toISOString(), ...winner, existing } as const
    return { result: undefined, line: isKnown ? null : line }
  })
