import { DEFAULT_ROTATIONS } from '../../../contract/manifests/evaluation.ts'
import type { RequestedPanel } from '../../judge/panel-settings.ts'
import { readJudgments } from '../../report/aggregate/judge-input.ts'

/** Returns how often each judge is asked about a question: as asked for, else as stored judgments of the same judges record; `file` is null where none is kept. */
export async function rotationsOf(
  { rotations, models }: Pick<RequestedPanel, 'rotations' | 'models'>,
  file: string | null,
): Promise<number> {
  if (rotations !== null) return rotations
  const stored = file === null ? null : await readJudgments(file)
  if (stored?.state !== 'read') return DEFAULT_ROTATIONS
  const { judges, runtime } = stored.judgments
  const isSame = judges.length === models.length && judges.every((judge) => models.includes(judge))
  // Where it is not recorded, each judge was asked once.
  return isSame ? (runtime?.rotations ?? 1) : DEFAULT_ROTATIONS
}
