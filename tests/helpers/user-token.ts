import { SignJWT, UnsecuredJWT } from 'jose'

/** A secret long enough for HS256. */
export const USER_SECRET = 'a-shared-secret-of-the-tests-with-enough-bytes'

export const USER_ID = '5b0c7bd8-6f5a-4c1e-9a55-0f6f3d0f6c11'

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** Claims of a token that opens; a test changes or removes (`undefined`) single ones. */
const goodClaims = (): Record<string, unknown> => ({
  sub: USER_ID,
  aud: 'authenticated',
  role: 'authenticated',
  exp: inSeconds(600),
})

function claims(changes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...goodClaims(), ...changes }).filter(([, value]) => value !== undefined))
}

/** A signed user token. */
export async function userToken(
  changes: Record<string, unknown> = {},
  { algorithm = 'HS256', secret = USER_SECRET }: { algorithm?: string; secret?: string } = {},
): Promise<string> {
  return new SignJWT(claims(changes)).setProtectedHeader({ alg: algorithm }).sign(new TextEncoder().encode(secret))
}

/** The same claims with `alg: none` and no signature. */
function unsignedToken(): string {
  return new UnsecuredJWT(claims({})).encode()
}

/** One token per way in which a user token can be bad, by name. */
export async function badUserTokens(): Promise<Record<string, string>> {
  const good = await userToken()
  const [header, payload, signature] = good.split('.') as [string, string, string]
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  return {
    'alg none': unsignedToken(),
    'alg none with a signature': `${none}.${payload}.${signature}`,
    HS512: await userToken({}, { algorithm: 'HS512', secret: `${USER_SECRET}-and-more-bytes-for-the-longer-hash` }),
    'another secret': await userToken({}, { secret: USER_SECRET.toUpperCase() }),
    'no signature': `${header}.${payload}.`,
    'changed payload': `${header}.${Buffer.from(JSON.stringify(claims({ sub: USER_ID.replace('5', '6') }))).toString('base64url')}.${signature}`,
    expired: await userToken({ exp: inSeconds(-1) }),
    'no exp': await userToken({ exp: undefined }),
    'exp as text': await userToken({ exp: '9999999999' }),
    'not yet valid': await userToken({ nbf: inSeconds(600) }),
    'no sub': await userToken({ sub: undefined }),
    'sub that is no UUID': await userToken({ sub: 'root' }),
    'another audience': await userToken({ aud: 'anon' }),
    'no audience': await userToken({ aud: undefined }),
    'another role': await userToken({ role: 'service_role' }),
    'no role': await userToken({ role: undefined }),
  }
}
