import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { describeIssues, HistoricalMatrix } from '../../contract/index.ts'
import { readJudgments, type JudgeInput } from './judge-input.ts'
import { ReportError } from './report-error.ts'

/** A result of before the canonical rows: what it has is read, nothing is added. */
export interface HistoricalSnapshot {
  /** The file name without `-matrix.json`. */
  name: string
  matrix: HistoricalMatrix
  /** `disabled` when there is no judgments file. */
  judge: JudgeInput
}

const MATRIX_SUFFIX = '-matrix.json'
const MODERN_SUFFIXES = ['-evidence.jsonl', '-evaluation.json']

/** Text of an old matrix file → matrix with every field it has. Throws `ReportError` when it is none. */
export function parseHistoricalMatrix(text: string, name: string): HistoricalMatrix {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ReportError('unreadable', `${name}: not JSON`, { file: name }, cause)
  }
  const parsed = HistoricalMatrix.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ReportError('unreadable', `${name}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`, { file: name })
}

/** Every snapshot of a folder that has a matrix but no evidence, by name. Throws `ReportError` for a matrix that cannot be read. */
export async function loadHistorical(dir: string): Promise<HistoricalSnapshot[]> {
  const names = new Set(await readdir(dir))
  const prefixes = [...names]
    .filter((name) => name.endsWith(MATRIX_SUFFIX))
    .map((name) => name.slice(0, -MATRIX_SUFFIX.length))
    .filter((prefix) => !MODERN_SUFFIXES.some((suffix) => names.has(prefix + suffix)))
    .sort()
  return Promise.all(
    prefixes.map(async (name): Promise<HistoricalSnapshot> => {
      const file = `${name}${MATRIX_SUFFIX}`
      const matrix = parseHistoricalMatrix(await readFile(join(dir, file), 'utf8'), file)
      const judgments = `${name}-judgments.json`
      const judge = names.has(judgments) ? await readJudgments(join(dir, judgments)) : { state: 'disabled' as const }
      return { name, matrix, judge }
    }),
  )
}

const Known = z.looseObject({
  run_id: z.string().catch(''),
  dataset_id: z.string().catch(''),
})

/** Run and dataset of a snapshot where it says them; empty texts where it does not. */
export function snapshotIdentity({ matrix }: HistoricalSnapshot): { runId: string; datasetId: string } {
  const known = Known.parse(matrix)
  return { runId: known.run_id, datasetId: known.dataset_id }
}
