import { errors, jwtVerify } from 'jose'

/** Verifies a user token. */
export type VerifyUser = (token: string) => Promise<{ subject: string } | null>

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A user's name as other systems give it; control characters cannot be stored everywhere. */
const NAME = /^(?=.*\S)[^\p{Cc}]{1,256}$/u

/** Describes what a token must carry besides `sub` and `exp`: `authenticated` as `aud` and `role` and a UUID as `sub`, or nothing. */
export type UserClaims = 'authenticated' | 'minimal'

/**
 * A verifier of HS256 tokens with `sub` and an `exp` in the future, and further claims by the setting; null for any other. With `minimal` claims,
 * `aud` and `role` may be missing, but not be others: keys of anonymous callers and services are often signed with the same secret.
 */
export function createUserVerifier(secret: string, claims: UserClaims = 'authenticated'): VerifyUser {
  const key = new TextEncoder().encode(secret)
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        requiredClaims: ['sub', 'exp'],
      })
      const { sub, role, aud } = payload
      const fits = (claim: unknown) => claim === 'authenticated' || (claims === 'minimal' && claim === undefined)
      const audience = Array.isArray(aud) ? aud.find(fits) : aud
      const named = typeof sub === 'string' && (claims === 'minimal' ? NAME : UUID).test(sub)
      return fits(role) && fits(audience) && named && (aud === undefined || audience !== undefined)
        ? { subject: sub }
        : null
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

/** Returns true when a credential has the three parts of a signed token. */
export function looksLikeUserToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential)
}
