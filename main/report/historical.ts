import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { describeIssues, HistoricalMatrix } from '../../contract/index.ts'
import { readJudgments, type JudgeInput } from './judge-input.ts'
import { ReportError } from './report-error.ts'
import { usableOrListed, type UnusableFile } from './results-folder.ts'

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
  const [first = '', ...others] = describeIssues(parsed.error)
  const more = others.length === 0 ? '' : ` (the first of ${others.length + 1} problems)`
  throw new ReportError('unreadable', `${name}: ${first}${more}`, { file: name })
}

/** Every snapshot of a folder that has a matrix but no evidence, by name; a matrix that cannot be read is listed with its reason. */
export async function loadHistorical(
  dir: string,
): Promise<{ snapshots: HistoricalSnapshot[]; unusable: UnusableFile[] }> {
  const names = new Set(await readdir(dir))
  const prefixes = [...names]
    .filter((name) => name.endsWith(MATRIX_SUFFIX))
    .map((name) => name.slice(0, -MATRIX_SUFFIX.length))
    .filter((prefix) => !MODERN_SUFFIXES.some((suffix) => names.has(prefix + suffix)))
    .sort()
  const unusable: UnusableFile[] = []
  const snapshots: HistoricalSnapshot[] = []
  for (const name of prefixes) {
    const file = `${name}${MATRIX_SUFFIX}`
    const matrix = await usableOrListed(join(dir, file), unusable, async () =>
      parseHistoricalMatrix(await readFile(join(dir, file), 'utf8'), file),
    )
    if (matrix === null) continue
    const judgments = `${name}-judgments.json`
    const judge = names.has(judgments) ? await readJudgments(join(dir, judgments)) : { state: 'disabled' as const }
    snapshots.push({ name, matrix, judge })
  }
  return { snapshots, unusable }
}

const Known = z.looseObject({
  run_id: z.string().catch(''),
  dataset_id: z.string().catch(''),
})

/** Run and dataset of a snapshot: what its matrix says, for the dataset also its judgments; else both are named by the file. */
export function snapshotIdentity({ name, matrix, judge }: HistoricalSnapshot): { runId: string; datasetId: string } {
  const known = Known.parse(matrix)
  const judged = judge.state === 'read' ? judge.judgments.dataset_id : ''
  return { runId: known.run_id || name, datasetId: known.dataset_id || judged || name }
}
