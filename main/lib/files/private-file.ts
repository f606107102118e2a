// Files with secrets: mode 0600, never through a link, and refused where another user may have read or written them.
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** secrets_exposed: others on this machine may read the file. secrets_invalid: it is not what this program wrote. Neither is repaired. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError'
  readonly code: 'secrets_exposed' | 'secrets_invalid'
  readonly file: string

  constructor(code: SecretsError['code'], file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause })
    this.code = code
    this.file = file
  }
}

const OTHERS = 0o077
const NO_LINKS = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW

/**
 * The text of a file that only its owner can read; null when there is no file. `purpose` ends the sentence "Delete it …". Throws `SecretsError`
 * for a file that is open to others or a link.
 */
export async function readPrivateFile(file: string, purpose: string): Promise<string | null> {
  // A link could lead to a file that others may read or choose.
  const handle = await open(file, constants.O_RDONLY | NO_LINKS).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ELOOP')
      throw new SecretsError('secrets_exposed', file, 'is a symbolic link; secrets are not read through one')
    throw error
  })
  if (handle === null) return null
  try {
    refuseExposed(file, await handle.stat(), purpose)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

function refuseExposed(file: string, { mode, uid }: Stats, purpose: string): void {
  // Windows keeps no such modes: there the folder's access list decides.
  if (process.platform === 'win32') return
  if (uid !== process.getuid?.())
    throw new SecretsError(
      'secrets_exposed',
      file,
      `belongs to another user, who can read the secrets in it. Delete it ${purpose}`,
    )
  if ((mode & OTHERS) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw new SecretsError(
    'secrets_exposed',
    file,
    `has mode ${shown}, so others may have read the secrets. Delete it ${purpose}, or set mode 0600`,
  )
}

/** Writes a neighbour that only its owner can read and syncs it; `publish` gives it its name, and decides the result. The neighbour never stays. */
export async function writePrivateFile<Result>(
  file: string,
  text: string,
  publish: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return await publish(temporary)
  } finally {
    await rm(temporary, { force: true })
  }
}
