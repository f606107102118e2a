import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describeIssues, Judgments, type JudgeSection } from '../../contract/index.ts'

type JudgeErrorReason = Extract<JudgeSection, { status: 'error' }>['reason']

/** What is known of the judges when a run is summed up. */
export type JudgeInput =
  | { state: 'disabled' }
  /** The panel comes later. */
  | { state: 'pending'; judges: readonly string[] }
  | { state: 'read'; judgments: Judgments }
  | { state: 'unusable'; reason: JudgeErrorReason; message: string }

/** Text of a judgments file → judge input; never throws for what stands in it. */
export function parseJudgments(text: string, name: string): JudgeInput {
  const unusable = (reason: JudgeErrorReason, what: string): JudgeInput => ({
    state: 'unusable',
    reason,
    message: `${name}: ${what}`,
  })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unusable('malformed', 'not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return unusable('not_an_object', 'not a JSON object')
  const parsed = Judgments.safeParse(value)
  if (!parsed.success) return unusable('invalid', describeIssues(parsed.error).slice(0, 3).join('; '))
  return { state: 'read', judgments: parsed.data }
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

/** Reads a judgments file if there is one; without it the judges are what `otherwise` says. */
export async function readJudgmentsIfThere(file: string, otherwise: JudgeInput): Promise<JudgeInput> {
  const input = await readJudgments(file)
  return input.state === 'unusable' && input.reason === 'missing' ? otherwise : input
}
