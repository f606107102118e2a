import { bearerToken, secretsEqual } from '../../kit/secrets.ts'
import type { IdentitySettings } from './identity-settings.ts'
import { SERVICE_PRINCIPALS } from './principals.ts'
import type { Caller, Principal } from './principals.ts'
import { createUserVerifier, looksLikeUserToken } from './user-token.ts'

/** Tells who sent a request with this `Authorization` header. */
export type Identify = (authorization: string | undefined) => Promise<Caller>

/** Compares with every configured token, whichever matches, so that the time tells nothing. */
export function createIdentify({ tokens, userSecret, userClaims }: IdentitySettings): Identify {
  const configured = SERVICE_PRINCIPALS.flatMap((principal) => {
    const token = tokens[principal]
    return token === undefined ? [] : [{ principal, token }]
  })
  const verifyUser = userSecret === null ? null : createUserVerifier(userSecret, userClaims)
  return async (authorization) => {
    const given = bearerToken(authorization)
    if (given === null) return { kind: 'nobody' }
    const principals = new Set<Principal>(
      configured.filter(({ token }) => secretsEqual(given, token)).map(({ principal }) => principal),
    )
    if (principals.size > 0) return { kind: 'known', principals }
    if (!looksLikeUserToken(given)) return { kind: 'stranger' }
    if (verifyUser === null) return { kind: 'unverifiable' }
    return (await verifyUser(given)) === null
      ? { kind: 'stranger' }
      : { kind: 'known', principals: new Set<Principal>(['user']) }
  }
}
