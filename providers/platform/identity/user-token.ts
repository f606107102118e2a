import { errors, jwtVerify } from 'jose'

/** Verifies a user token. */
export type VerifyUser = (token: string) => Promise<{ subject: string } | null>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A verifier of HS256 tokens with `aud` and `role` authenticated, a UUID as `sub`, and an `exp` in the future; null for any other. */
export function createUserVerifier(secret: string): VerifyUser {
  const key = new TextEncoder().encode(secret)
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        audience: 'authenticated',
        requiredClaims: ['sub', 'exp'],
      })
      const { sub, role } = payload
      return role === 'authenticated' && typeof sub === 'string' && UUID.test(sub) ? { subject: sub } : null
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

/** Whether a credential has the three parts of a signed token. */
export function looksLikeUserToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential)
}
