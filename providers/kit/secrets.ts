import { createHash, timingSafeEqual } from 'node:crypto'

/** Returns true when two secrets are equal, in a time that depends on neither. */
export function secretsEqual(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

/** The token of an `Authorization: Bearer` header; null when there is none. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +(\S+)\s*$/i.exec(header ?? '')?.[1] ?? null
}

/** Returns true when the header carries exactly this bearer token; compared in constant time. */
export function bearerMatches(header: string | undefined, token: string): boolean {
  const given = bearerToken(header)
  return given !== null && secretsEqual(given, token)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
