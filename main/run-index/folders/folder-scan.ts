import { fstatSync, readdirSync, statSync, type BigIntStats } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  ARTIFACT_KINDS,
  artifactName,
  namedKinds,
  ownerOf,
  type ArtifactKind,
  type ArtifactOwner,
  type NamedFiles,
  type NamedKind,
} from '../../evidence/files/artifact-files.ts'

/** A file's state on disk; equal states mean equal content. */
export interface FileState {
  /** Device and inode. */
  identity: string
  sizeBytes: number
  modifiedMs: number
}

export interface FoundFile extends FileState {
  path: string
  /** The path up to the ending that marks the kind. */
  prefix: string
  kind: ArtifactKind
  /** Position of the folder in the given list. */
  folder: number
}

interface FolderScan {
  /** By folder, then path. */
  files: FoundFile[]
  /** Folders that exist but cannot be listed: their files do not count as removed. */
  unreadable: { folder: string; message: string }[]
}

const ENDINGS = ARTIFACT_KINDS.map((kind) => ({ kind, ending: artifactName(kind, '', '').slice(1) }))

const stateFrom = (info: BigIntStats): FileState => ({
  identity: `${info.dev}:${info.ino}`,
  sizeBytes: Number(info.size),
  modifiedMs: Number(info.mtimeNs) / 1e6,
})

export const stateOfOpen = (fd: number): FileState => stateFrom(fstatSync(fd, { bigint: true }))

/** Folders of results, and artifacts in other folders. */
export interface ScannedFiles {
  folders: readonly string[]
  named?: NamedFiles
}

/** The artifacts in folders of results, not below them, and those that are named. A missing folder is empty. */
export function scanFolders({ folders, named = {} }: ScannedFiles): FolderScan {
  const scan: FolderScan = { files: [], unreadable: [] }
  const seen = new Set<string>()
  for (const [index, given] of folders.entries()) {
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
      scan.files.push({ path, prefix, kind: match.kind, folder: index, ...stateFrom(info) })
    }
  }
  if (folders[0] !== undefined) addNamed(resolve(folders[0]), named, scan)
  return scan
}

/** A named file belongs to the files that its dataset run has in the first folder, and replaces the one of its kind there. */
function addNamed(folder: string, named: NamedFiles, scan: FolderScan): void {
  for (const kind of namedKinds(named)) {
    const path = named[kind]!
    const info = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (info?.isFile() !== true) continue
    const state = stateFrom(info)
    const owner = knownOwner(kind, path, state)
    if (owner === null) continue
    const prefix = join(folder, artifactName(kind, owner.runId, owner.datasetId)).slice(0, -endingOf(kind).length)
    scan.files = scan.files.filter((file) => file.path !== path && (file.prefix !== prefix || file.kind !== kind))
    scan.files.push({ path, prefix, kind, folder: 0, ...state })
  }
}

const endingOf = (kind: ArtifactKind): string => ENDINGS.find((each) => each.kind === kind)!.ending

/** Owners by path: a file is read again only when it has changed. */
const owners = new Map<string, { state: FileState; owner: ArtifactOwner | null }>()

function knownOwner(kind: NamedKind, path: string, state: FileState): ArtifactOwner | null {
  const known = owners.get(path)
  const isSame = known?.state.identity === state.identity && known.state.modifiedMs === state.modifiedMs
  if (isSame && known.state.sizeBytes === state.sizeBytes) return known.owner
  const owner = ownerOf(kind, path)
  owners.set(path, { state, owner })
  return owner
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
