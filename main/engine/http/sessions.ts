import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { jsonIn } from '../../../core/json.ts'
import { z } from 'zod'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'

const LINK_LIFE_MS = 10 * 60_000
const SESSION_LIFE_MS = 7 * 24 * 3_600_000

const newSecret = (): string => randomBytes(32).toString('base64url')

/** Compares two texts in constant time. */
export function sameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Describes what a browser gets for a link: a cookie, and the key that its page must show besides. */
export interface Session {
  cookie: string
  pageKey: string
}

/**
 * Who may use the panel in a browser. A link opens once and becomes a session; sessions are signed with the launch token, so that they
 * outlive an engine that its host starts again, and end with the host.
 */
export class Sessions {
  readonly #key: string
  readonly #links = new Map<string, number>()
  /** Sessions made up to this moment count no more. */
  #endedUntil: number
  readonly #keepEnd: (at: number) => void

  /** `endedUntil` and `keepEnd`: what `endAll` did must outlive an engine that is started again, too. */
  constructor(launchToken: string, endedUntil = 0, keepEnd: (at: number) => void = () => undefined) {
    this.#key = launchToken
    this.#endedUntil = endedUntil
    this.#keepEnd = keepEnd
  }

  /** A token for one visit of `/open`, and until when. */
  newLink(now = Date.now()): { token: string; expiresAt: number } {
    for (const [token, expires] of this.#links) if (expires <= now) this.#links.delete(token)
    const token = newSecret()
    const expiresAt = now + LINK_LIFE_MS
    this.#links.set(token, expiresAt)
    return { token, expiresAt }
  }

  /** A session for a link's token, which is used up by it; null for one that is not known any more. */
  redeem(token: string, now = Date.now()): Session | null {
    const expires = this.#links.get(token)
    this.#links.delete(token)
    if (expires === undefined || expires <= now) return null
    const head = `v1.${now + SESSION_LIFE_MS}.${randomBytes(16).toString('base64url')}`
    const cookie = `${head}.${this.#sign('session', head)}`
    return { cookie, pageKey: this.#sign('page', cookie) }
  }

  /** Ends every session and link. */
  endAll(now = Date.now()): void {
    this.#links.clear()
    this.#endedUntil = now
    this.#keepEnd(now)
  }

  /** Returns true when a key is the one that was given to the page of a session. */
  isPageKey(cookie: string, key: string): boolean {
    return sameSecret(key, this.#sign('page', cookie))
  }

  isValid(cookie: string, now = Date.now()): boolean {
    const [version, expires = '', nonce, signature = '', ...more] = cookie.split('.')
    if (version !== 'v1' || nonce === undefined || more.length > 0) return false
    const madeAt = Number(expires) - SESSION_LIFE_MS
    return (
      sameSecret(signature, this.#sign('session', `v1.${expires}.${nonce}`)) &&
      Number(expires) > now &&
      madeAt > this.#endedUntil
    )
  }

  #sign(purpose: 'session' | 'page', text: string): string {
    return createHmac('sha256', this.#key).update(`rag-ladder ${purpose} ${text}`).digest('base64url')
  }
}

export const SESSION_SECONDS = SESSION_LIFE_MS / 1000

const Ended = z.object({ ended_until: z.number() })

/** The sessions of an engine; `file` keeps until when they have been ended. */
export async function openSessions(
  launchToken: string,
  file: string,
  report: (error: unknown) => void,
): Promise<Sessions> {
  const text = await orIfMissing(readFile(file, 'utf8'), '{"ended_until":0}')
  const parsed = Ended.safeParse(jsonIn(text))
  // A file that cannot be read must not bring ended sessions back.
  const until = parsed.success ? parsed.data.ended_until : Date.now()
  const keep = (at: number): void => void writeAtomic(file, `${JSON.stringify({ ended_until: at })}\n`).catch(report)
  return new Sessions(launchToken, until, keep)
}
