/** What reading a file or folder gives, or `otherwise` where there is none. Rejects with every other error of the system. */
export const orIfMissing = <Found, Otherwise>(
  reading: Promise<Found>,
  otherwise: Otherwise,
): Promise<Found | Otherwise> =>
  reading.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  })

/** The value of a JSON text, to be validated; undefined, which no schema of a file accepts, when the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
