import { existsSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The file system in memory that Linux has. */
const IN_MEMORY = '/dev/shm'

/** A run keeps a fraction of this in its temporary folder. */
const LEAST_FREE_BYTES = 4e9
/** Checks, browsers and tests need up to 8 GB beside it. */
const LEAST_MEMORY_BYTES = 12e9

const NAME = 'rag-ladder-run-'

/** True where a line of /proc/mounts lets programs in the folder be started: containers often forbid that. */
const mayExecute = (mounts: string, folder: string): boolean => {
  const mount = mounts.split('\n').findLast((line) => line.split(' ')[1] === folder)
  return mount !== undefined && !mount.split(' ')[3]!.split(',').includes('noexec')
}

/** Describes what decides where a run keeps its temporary files. */
export interface Surroundings {
  mounts: string
  freeBytes: number
  memoryBytes: number
  chosen: string | undefined
}

/**
 * Returns the folder for temporary files: in memory where that is large enough, since tests wait for the disk for most of their time, and for
 * /tmp elsewhere. A folder that the user has chosen by TMPDIR is kept.
 */
export const temporaryParent = ({ mounts, freeBytes, memoryBytes, chosen }: Surroundings): string =>
  chosen === undefined &&
  freeBytes >= LEAST_FREE_BYTES &&
  memoryBytes >= LEAST_MEMORY_BYTES &&
  mayExecute(mounts, IN_MEMORY)
    ? IN_MEMORY
    : tmpdir()

function surroundings(): Surroundings {
  const chosen = process.env['TMPDIR']
  if (!existsSync('/proc/mounts') || !existsSync(IN_MEMORY)) return { mounts: '', freeBytes: 0, memoryBytes: 0, chosen }
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return { mounts: readFileSync('/proc/mounts', 'utf8'), freeBytes: bavail * bsize, memoryBytes: freemem(), chosen }
}

/** Removes what runs left that were killed: in memory it would stay until the machine starts again. */
function removeLeftOver(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** Makes the folder for the temporary files of this run. */
export async function makeTemporaryFolder(): Promise<string> {
  const parent = temporaryParent(surroundings())
  if (parent === IN_MEMORY) removeLeftOver(parent)
  const folder = await mkdtemp(join(parent, `${NAME}${process.pid}-`))
  // Some tests start a process of another user, who must be able to enter the folder.
  await chmod(folder, 0o755)
  return folder
}
