import { hash } from 'node:crypto'

/** The name of the `meta` element that holds the SHA-256 of the page around it. */
export const PAGE_DIGEST = 'page-sha256'

/** A page holds it until its digest is known. */
export const NO_DIGEST = '0'.repeat(64)
const MARK = new RegExp(`<meta name="${PAGE_DIGEST}" content="([0-9a-f]{64})">`)

/** The page with its digest, which is taken over the page with zeros in its place. */
export const withDigest = (page: string): string =>
  page.replace(MARK, (mark) => mark.replace(NO_DIGEST, hash('sha256', page)))

/** Compares a page with the digest in it. */
export function digestState(page: string): 'same' | 'changed' | 'absent' {
  const found = MARK.exec(page)?.[1]
  if (found === undefined) return 'absent'
  return withDigest(page.replace(MARK, (mark) => mark.replace(found, NO_DIGEST))) === page ? 'same' : 'changed'
}
