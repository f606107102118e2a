import { stat } from 'node:fs/promises'

/** Returns what reading a file or folder gives, or `otherwise` where there is none. Rejects with every other error of the system. */
export const orIfMissing = <Found, Otherwise>(
  reading: Promise<Found>,
  otherwise: Otherwise,
): Promise<Found | Otherwise> =>
  reading.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  })

/** True for a file or folder that can be reached. */
export const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null
