import { fstatSync, readdirSync, statSync, type BigIntStats } from 'node:fs'
import { join, resolve } from 'node:path'
import { ARTIFACT_KINDS, artifactName, type ArtifactKind } from '../report/artifact-files.ts'

/** A file's state on disk; two equal ones are taken for the same content. */
export interface FileState {
  /** Device and inode. */
  identity: string
  sizeBytes: number
  modifiedMs: number
}

export interface FoundFile extends FileState {
  path: string
  /** The path up to the ending that says the kind. */
  prefix: string
  kind: ArtifactKind
  /** Place of the folder in the order given. */
  folder: number
}

export interface FolderScan {
  /** By folder, then path. */
  files: FoundFile[]
  /** Folders that are there but cannot be listed: their files must not be taken for removed. */
  unreadable: { folder: string; message: string }[]
}

const ENDINGS = ARTIFACT_KINDS.map((kind) => ({ kind, ending: artifactName(kind, '', '').slice(1) }))

const stateFrom = (info: BigIntStats): FileState => ({
  identity: `${info.dev}:${info.ino}`,
  sizeBytes: Number(info.size),
  modifiedMs: Number(info.mtimeNs) / 1e6,
})

export const stateOfOpen = (fd: number): FileState => stateFrom(fstatSync(fd, { bigint: true }))

/** The artifacts that stand in folders of results; folders below them are not looked into. A missing folder holds nothing. */
export function scanFolders(folders: readonly string[]): FolderScan {
  const scan: FolderScan = { files: [], unreadable: [] }
  const seen = new Set<string>()
  for (const [place, given] of folders.entries()) {
    const folder = resolve(given)
    if (seen.has(folder)) continue
    seen.add(folder)
    for (const name of namesIn(folder, scan)) {
      const match = ENDINGS.find(({ ending }) => name.length > ending.length && name.endsWith(ending))
      if (match === undefined) continue
      const path = join(folder, name)
      const info = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (info?.isFile() !== true) continue
      const prefix = path.slice(0, -match.ending.length)
      scan.files.push({ path, prefix, kind: match.kind, folder: place, ...stateFrom(info) })
    }
  }
  return scan
}

function namesIn(folder: string, scan: FolderScan): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') scan.unreadable.push({ folder, message })
    return []
  }
}
