import type { EnvReader } from '../../kit/env-reader.ts'
import { SERVICE_PRINCIPALS, SERVICE_TOKEN_VARIABLES } from './principals.ts'
import type { ServicePrincipal } from './principals.ts'
import type { UserClaims } from './user-token.ts'

export interface IdentitySettings {
  /** `invalid`: the variable has an unknown value, so every guarded route is closed. */
  mode: 'required' | 'disabled' | 'invalid'
  tokens: Readonly<Partial<Record<ServicePrincipal, string>>>
  /** Shared secret of user tokens; null when there are none. */
  userSecret: string | null
  /** Holds what user tokens must carry besides `sub` and `exp`. */
  userClaims?: UserClaims
  /** Expected in `X-API-Key` by the graph engine's routes. */
  graphEngineKey: string | null
}

export interface EdgeSettings {
  enabled: boolean
  /** Null while no key is configured: routes that need it answer 503. */
  key: string | null
}

/** RFC 7518, section 3.2: an HS256 key is at least as long as the hash. */
const MIN_USER_SECRET_BYTES = 32

/** Reads who has access. A bad mode does not prevent the start: it closes every guarded route with 503, as the contract defines. */
export function readIdentitySettings(reader: EnvReader): IdentitySettings {
  const mode = reader.text('BACKEND_IDENTITY_AUTH')
  const userSecret = reader.optional('BACKEND_JWT_SECRET')
  if (userSecret !== null && Buffer.byteLength(userSecret) < MIN_USER_SECRET_BYTES) {
    reader.problems.push(`BACKEND_JWT_SECRET: shorter than ${MIN_USER_SECRET_BYTES} bytes`)
  }
  const tokens = SERVICE_PRINCIPALS.flatMap((principal) => {
    const token = reader.optional(SERVICE_TOKEN_VARIABLES[principal])
    return token === null ? [] : [[principal, token] as const]
  })
  return {
    mode: mode === 'required' || mode === 'disabled' ? mode : 'invalid',
    tokens: Object.fromEntries(tokens),
    userSecret,
    userClaims: reader.oneOf<UserClaims>('BACKEND_JWT_CLAIMS', ['authenticated', 'minimal']),
    graphEngineKey: reader.optional('GRAPHENGINE_API_KEY'),
  }
}

/** Reads the key check in front of the backend's routes. */
export function readEdgeSettings(reader: EnvReader): EdgeSettings {
  return {
    enabled: reader.oneOf('BACKEND_EDGE_AUTH', ['disabled', 'key-auth']) === 'key-auth',
    key: reader.optional('BACKEND_EDGE_API_KEY'),
  }
}

/** Returns what is wrong with the settings, for the log at the start; null when there is a way in. */
export function identityProblem({ mode, tokens, userSecret }: IdentitySettings): string | null {
  if (mode === 'invalid')
    return 'BACKEND_IDENTITY_AUTH is neither required nor disabled: every guarded route answers 503'
  if (mode === 'required' && Object.keys(tokens).length === 0 && userSecret === null) {
    return 'identity is required, but no credential is configured: every guarded route answers 503'
  }
  return null
}
