import { hash } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import type { Artifact, ArtifactChange } from './artifact-store.ts'
import { openIfThere } from './open-if-there.ts'
import { stateOfOpen, type FileState } from './folder-scan.ts'

export interface WholeFile {
  text: string
  sha256: string
  state: FileState
}

/** An artifact that is replaced as a whole, with the state that its bytes belong to; null when it is gone meanwhile. */
export function readWholeFile({ path }: Pick<Artifact, 'path'>): WholeFile | null {
  const fd = openIfThere(path)
  if (fd === null) return null
  try {
    const state = stateOfOpen(fd)
    const bytes = readFileSync(fd)
    return { text: bytes.toString('utf8'), sha256: hash('sha256', bytes), state: { ...state, sizeBytes: bytes.length } }
  } finally {
    closeSync(fd)
  }
}

/** What to note of a file that was read as a whole; `problem` says why it cannot be used. */
export const wholeFileChange = (
  { sha256, state }: WholeFile,
  status: Artifact['state'],
  problem: string | null,
): ArtifactChange => ({
  ...state,
  sha256,
  state: problem === null ? status : 'damaged',
  appliedBytes: state.sizeBytes,
  appliedLines: 0,
  damageOffset: null,
  damageLine: null,
  damageMessage: problem,
})
