import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { JudgeSection } from '../../../contract/evidence/aggregate.ts'
import {
  HistoricalJudgments,
  Judgments,
  type JudgedQuery,
  type JudgeVerdict,
} from '../../../contract/evidence/judgments.ts'
import { IngestionProvenance } from '../../../contract/evidence/provenance.ts'
import { describeIssues } from '../../../core/issues.ts'
import { BROKEN_SEAL, readSealedJson } from '../../lib/files/sealed-json.ts'
import { remedyFor } from '../../../core/remedy.ts'

type JudgeErrorReason = Extract<JudgeSection, { status: 'error' }>['reason']

export type UnknownField = 'status' | 'dataset_id' | 'ingestion' | 'runtime'

/** Describes what is known of the judges when a run is summed up. */
export type JudgeInput =
  | { state: 'disabled' }
  /** The panel comes later. */
  | { state: 'pending'; judges: readonly string[] }
  | {
      state: 'read'
      judgments: Judgments
      /** Fields that an old file does not have, or in another form. The values that the judgments hold instead must not be compared. */
      unknown?: readonly UnknownField[]
    }
  | { state: 'unusable'; reason: JudgeErrorReason; message: string }

/** Text of a judgments file → judge input; never throws for its content. */
export function parseJudgments(text: string, name: string): JudgeInput {
  const unusable = (reason: JudgeErrorReason, what: string): JudgeInput => ({
    state: 'unusable',
    reason,
    message: `${name}: ${what}`,
  })
  const read = readSealedJson(text)
  if (read === undefined) return unusable('malformed', 'not JSON')
  if (read.seal === 'broken')
    return unusable(
      'invalid',
      `${BROKEN_SEAL}. Judge the run again (${remedyFor({ panel: 'Judge answers on the tab Judges', commandLine: 'rag-ladder judge run' })}): stored verdicts are not paid for again`,
    )
  const { value } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return unusable('not_an_object', 'not a JSON object')
  const parsed = Judgments.safeParse(value)
  if (parsed.success) return { state: 'read', judgments: parsed.data }
  // A file of today with a fault is not an old file: what is wrong in it stays wrong.
  const isOfToday = ['panel', 'approaches', 'blocked'].some((field) => Object.hasOwn(value, field))
  const old = HistoricalJudgments.safeParse(value)
  if (old.success && !isOfToday) return ofBefore(old.data)
  const issues = describeIssues(parsed.error)
  const more = issues.length > 1 ? ` (the first of ${issues.length} problems)` : ''
  return unusable('invalid', `${issues[0]!}${more}`)
}

/** An old file with everything that it has. Scores are kept where they are grades; nothing is added, and what is missing is named. */
function ofBefore(old: HistoricalJudgments): JudgeInput {
  const queries = old.queries.map(
    ({ query_id, query, expect_winner, per_judge, mean_by_approach, votes, observed_winner }): JudgedQuery => ({
      query_id,
      query,
      expect_winner: expect_winner ?? null,
      per_judge: Object.fromEntries(
        Object.entries(per_judge).flatMap(([judge, verdict]) => {
          const read = verdict === null ? null : verdictOf(verdict)
          return read === null ? [] : [[judge, read] as const]
        }),
      ),
      mean_by_approach: numbersIn(mean_by_approach ?? {}, isGrade),
      votes: numbersIn(votes ?? {}, (value) => Number.isInteger(value) && value >= 0),
      observed_winner: observed_winner ?? null,
    }),
  )
  const judges = old.judges ?? [...new Set(queries.flatMap(({ per_judge }) => Object.keys(per_judge)))].sort()
  const ingestion = IngestionProvenance.nullish().safeParse(old.ingestion)
  const unknown: UnknownField[] = ['runtime']
  if (old.status === undefined) unknown.push('status')
  if (old.dataset_id === undefined) unknown.push('dataset_id')
  if (!ingestion.success || old.ingestion === undefined) unknown.push('ingestion')
  return {
    state: 'read',
    judgments: {
      // `unknown` marks that these two mean nothing where the file has none.
      status: old.status ?? 'partial',
      dataset_id: old.dataset_id ?? '',
      judges,
      queries,
      ...(old.run_id === undefined ? {} : { run_id: old.run_id }),
      ...(ingestion.success && ingestion.data !== undefined ? { ingestion: ingestion.data } : {}),
    },
    unknown,
  }
}

const isGrade = (value: number): boolean => value >= 1 && value <= 5

const numbersIn = (values: Record<string, unknown>, isFit: (value: number) => boolean): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      return typeof number === 'number' && isFit(number) ? [[name, number]] : []
    }),
  )

type OldVerdict = NonNullable<HistoricalJudgments['queries'][number]['per_judge'][string]>

/** Null where a judge gave no grade at all: it has no verdict on this question. */
function verdictOf({ scores, best, reasons }: OldVerdict): JudgeVerdict | null {
  const grades = numbersIn(scores, isGrade)
  if (Object.keys(grades).length === 0) return null
  const words = Object.entries(reasons ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return {
    scores: grades,
    best: best ?? null,
    ...(words.length === 0 ? {} : { reasons: Object.fromEntries(words) }),
  }
}

/** Reads a judgments file that is due; that it is missing or unusable concerns the judge section alone. */
export async function readJudgments(file: string): Promise<JudgeInput> {
  const name = basename(file)
  try {
    return parseJudgments(await readFile(file, 'utf8'), name)
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return absent
      ? { state: 'unusable', reason: 'missing', message: `${name}: the file is missing` }
      : { state: 'unusable', reason: 'unreadable', message: `${name}: the file cannot be read` }
  }
}

/** Reads a judgments file if there is one; without it the result is `otherwise`. */
export async function readJudgmentsIfThere(file: string, otherwise: JudgeInput): Promise<JudgeInput> {
  const input = await readJudgments(file)
  return input.state === 'unusable' && input.reason === 'missing' ? otherwise : input
}
