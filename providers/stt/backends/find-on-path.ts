import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Where a program is in the search path; null when it is not. */
export async function findOnPath(name: string): Promise<string | null> {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => place !== '')
  for (const place of places) {
    const path = join(place, name)
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return null
}
