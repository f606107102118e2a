import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const LINK_LIFE_MS = 10 * 60_000
const SESSION_LIFE_MS = 7 * 24 * 3_600_000

const newSecret = (): string => randomBytes(32).toString('base64url')

/** Compares two texts in a time that does not tell where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Who may use the panel in a browser. A link opens once and becomes a session; sessions are signed with the launch token, so that they
 * outlive an engine that its host starts again, and end with the host.
 */
export class Sessions {
  readonly #key: string
  readonly #links = new Map<string, number>()

  constructor(launchToken: string) {
    this.#key = launchToken
  }

  /** A token for one visit of `/open`, and until when. */
  newLink(now = Date.now()): { token: string; expiresAt: number } {
    for (const [token, expires] of this.#links) if (expires <= now) this.#links.delete(token)
    const token = newSecret()
    const expiresAt = now + LINK_LIFE_MS
    this.#links.set(token, expiresAt)
    return { token, expiresAt }
  }

  /** The value of a session cookie for a link's token, which is used up by it; null for one that is not known any more. */
  redeem(token: string, now = Date.now()): string | null {
    const expires = this.#links.get(token)
    this.#links.delete(token)
    if (expires === undefined || expires <= now) return null
    const head = `v1.${now + SESSION_LIFE_MS}.${randomBytes(16).toString('base64url')}`
    return `${head}.${this.#sign(head)}`
  }

  isValid(cookie: string, now = Date.now()): boolean {
    const [version, expires = '', nonce, signature = '', ...more] = cookie.split('.')
    if (version !== 'v1' || nonce === undefined || more.length > 0) return false
    return sameSecret(signature, this.#sign(`v1.${expires}.${nonce}`)) && Number(expires) > now
  }

  #sign(head: string): string {
    return createHmac('sha256', this.#key).update(`rag-ladder session ${head}`).digest('base64url')
  }
}

export const SESSION_SECONDS = SESSION_LIFE_MS / 1000
