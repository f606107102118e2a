// The ledger of a project's holdouts, `tuning/holdouts.jsonl`: how the questions of each dataset were divided, once, with digests of them, and each time that a holdout was looked at. It is
// part of the project and not of the results, because what was seen stays seen whatever run folder is removed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LedgerLine } from '../../../contract/evidence/tuning.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { openSealedJournal, readSealedJournal, type JournalProblem } from '../../evidence/files/sealed-journal.ts'
import { digestsById, isAmong, type KnownQuestions, knownQuestions, type LedgerQuestion } from './known-questions.ts'
import { TuningError } from './tuning-error.ts'
import { type QuestionSplit, splitQuestions } from '../../statistics/tuning/split-questions.ts'

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
    // A line that cannot be read again would end all use of the ledger.
    if (line !== null) await journal.append(LedgerLine.parse(line))
    return result
  } finally {
    await journal.close()
  }
}

interface SplitWish {
  dataset: string
  questions: readonly (LedgerQuestion & { cluster: string })[]
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
  const questionsBefore = knownIn(lines, dataset)
  const known = new Map(
    questions.flatMap((question) => {
      const side = questionsBefore.sideOf(question)
      return side === undefined ? [] : [[question.id, side] as const]
    }),
  )
  const split = splitQuestions(questions, { seed: `${dataset}/${seed}`, share, known })
  return { ...split, isRecorded: questions.every((question) => questionsBefore.has(question)) }
}

export const knownIn = (lines: readonly LedgerLine[], dataset: string): KnownQuestions =>
  knownQuestions(splitsOf(lines, dataset))

const splitsOf = (lines: readonly LedgerLine[], dataset: string): Split[] =>
  lines.filter((line): line is Split => line.kind === 'split' && line.dataset === dataset)

/** Records how a dataset is divided, unless the ledger has it already with the questions as they are. */
export const recordSplit = (root: string, wish: SplitWish): Promise<QuestionSplit> =>
  addToLedger(root, (lines) => {
    const { isRecorded, ...split } = splitBy(lines, wish)
    const { dataset, questions, seed, share, now } = wish
    const head = { kind: 'split', at: now.toISOString(), dataset, seed, share } as const
    const line = { ...head, ...split, digests: digestsById(questions) }
    return { result: split, line: isRecorded ? null : line }
  })

/** An opening that is planned, with the questions that it looks at. */
export type PlannedOpening = Omit<Opening, 'kind' | 'at' | 'questions' | 'digests'> & {
  questions: readonly LedgerQuestion[]
}

/**
 * Openings of a holdout before this one: those of other tunings, or for another winner, that share a question with it. An edited question is shared, because a look at other words for the
 * same evidence says something of it; one that was replaced by another question is not.
 */
export function openingsBefore(lines: readonly LedgerLine[], opening: PlannedOpening): Opening[] {
  const all = lines.filter((line): line is Opening => {
    if (line.kind !== 'opening' || line.dataset !== opening.dataset) return false
    const looked = { ids: new Set(line.questions), digests: line.digests }
    return opening.questions.some((question) => isAmong(question, looked))
  })
  const own = all.findIndex((line) => isSame(line, opening))
  return own === -1 ? all : all.slice(0, own)
}

type Look = Pick<Opening, 'tuning' | 'metric' | 'winner'>

const isSame = (one: Look, other: Look): boolean =>
  one.tuning === other.tuning &&
  one.metric === other.metric &&
  canonicalJson(one.winner) === canonicalJson(other.winner)

/** Writes that a holdout is about to be looked at, and returns which time it is, from 1. A tuning that is resumed opens it once. */
export const openHoldout = (root: string, opening: PlannedOpening, now: Date): Promise<number> =>
  addToLedger(root, (lines) => {
    const before = openingsBefore(lines, opening)
    const isKnown = lines.some(
      (line) => line.kind === 'opening' && line.dataset === opening.dataset && isSame(line, opening),
    )
    const { questions } = opening
    const looked = { questions: questions.map(({ id }) => id), digests: digestsById(questions) }
    const line = { kind: 'opening', at: now.toISOString(), ...opening, ...looked } as const
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
