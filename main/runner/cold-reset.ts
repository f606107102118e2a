import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeEvidence } from '../evidence/remove-evidence.ts'
import { journalPath } from '../judge/verdict-journal.ts'
import type { PlatformSource } from './platform-source.ts'
import { EvidenceRefusedError } from './resume-error.ts'
import type { ArtifactFiles } from '../report/artifact-files.ts'

/**
 * Deletes this dataset run's working artifacts and what the embedded platform made for the profile. Throws `EvidenceRefusedError` while
 * another process is running on the same evidence.
 */
export async function coldReset(files: ArtifactFiles, platform: PlatformSource, profile: string): Promise<string> {
  await mkdir(dirname(files.evidence), { recursive: true })
  const evidence = await removeEvidence(files.evidence)
  if (!evidence.ok) throw new EvidenceRefusedError(evidence.refusal)
  const derived = [files.evaluation, files.matrix, files.judgments, journalPath(files.judgments)]
  for (const file of derived) await rm(file, { force: true })
  const count = evidence.removed.length
  const stateDir = platform.stateDir(profile)
  if (stateDir === null) return `${count} evidence files removed; an external platform keeps its collections`
  await rm(stateDir, { recursive: true, force: true })
  return `${count} evidence files and the platform's state for ${profile} removed`
}
