import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Matrix } from '../../contract/evidence/matrix.ts'
import { describeIssues } from '../../core/issues.ts'
import { jsonIn } from '../../core/json.ts'
import type { ArtifactFiles } from '../evidence/files/artifact-files.ts'
import { readEvidenceRows } from './read-evidence.ts'
import { JudgePanelError } from '../judge/judge-error.ts'
import { panelInputFromMatrix, panelInputFromRows, type PanelInput, type PanelSelection } from '../judge/panel-input.ts'

const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && (error.cause as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * The stored answers of a dataset run: from its evidence, or from its matrix where that is all that is left of it. Throws `JudgePanelError`
 * when there is neither, and `ReportError` for evidence that cannot be read.
 */
export async function storedAnswers(files: ArtifactFiles, selection: PanelSelection): Promise<PanelInput> {
  try {
    return await panelInputFromRows(readEvidenceRows(files.evidence), selection)
  } catch (error) {
    if (!isMissing(error)) throw error
    return panelInputFromMatrix(await matrixIn(files), selection.models)
  }
}

async function matrixIn(files: ArtifactFiles): Promise<Matrix> {
  const none = (what: string, cause?: unknown): JudgePanelError =>
    new JudgePanelError('nothing_to_judge', what, { file: files.matrix }, cause)
  const text = await readFile(files.matrix, 'utf8').catch((cause: unknown) => {
    throw none(
      `there is neither ${basename(files.evidence)} nor ${basename(files.matrix)}: ask the questions first`,
      cause,
    )
  })
  const value = jsonIn(text)
  if (value === undefined) throw none(`${basename(files.matrix)}: not JSON`)
  const parsed = Matrix.safeParse(value)
  if (parsed.success) return parsed.data
  throw none(`${basename(files.matrix)}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`)
}
