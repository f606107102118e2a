import { openSync } from 'node:fs'

/** Opens a file for reading; null when it is gone meanwhile, which the next scan of its folder finds out. Throws the system's error. */
export function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
