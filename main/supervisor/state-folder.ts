import { chmod, mkdir, stat } from 'node:fs/promises'

/**
 * Creates a project's state folder, or takes the one that exists, so that only its owner can enter it: recordings of people, run journals
 * and settings are in it. A folder that an earlier version left open is closed. Windows keeps access lists instead of modes. Throws the system's
 * error when the folder cannot be created.
 */
export async function openStateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return
  const { mode, uid } = await stat(folder)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) await chmod(folder, 0o700)
}
