import type { IdentitySettings } from './identity-settings.ts'
import { identityProblem } from './identity-settings.ts'
import type { Caller, Principal } from './principals.ts'
import type { RoutePolicy } from './route-policy.ts'

/** Why a request does not get in. 401: nobody we know; 403: known, but not for this route; 503: the door itself is not configured. */
export interface Refusal {
  status: 401 | 403 | 503
  detail: string
}

const UNSET = 'Identity is not configured'

/** Whether a caller may use a route; null lets it through. */
export function decide(policy: RoutePolicy, caller: Caller, settings: IdentitySettings): Refusal | null {
  const { mode, tokens } = settings
  switch (policy.kind) {
    case 'open':
    case 'edge_key':
      return null
    case 'graph_key':
      // The engine compares the key itself; without one it would let everybody in.
      if (mode === 'disabled' || (mode === 'required' && settings.graphEngineKey !== null)) return null
      return { status: 503, detail: 'The graph engine has no key' }
    case 'unknown':
      return mode === 'disabled' ? null : credentialRefusal('anyone', caller, settings)
    case 'identity':
      return mode === 'disabled' ? null : credentialRefusal(policy.allow, caller, settings)
    case 'gateway':
      // Without a key of its own the gateway is one of the backend's routes.
      if (mode === 'disabled' && tokens.gateway === undefined) return null
      return credentialRefusal(['gateway', 'operator'], caller, settings)
    case 'rerank_adapter':
      if (tokens.rerank_adapter === undefined) return { status: 503, detail: 'The rerank adapter is not configured' }
      return credentialRefusal(['rerank_adapter', 'operator'], caller, settings)
  }
}

function credentialRefusal(
  allow: readonly Principal[] | 'anyone',
  caller: Caller,
  settings: IdentitySettings,
): Refusal | null {
  if (identityProblem(settings) !== null) return { status: 503, detail: UNSET }
  switch (caller.kind) {
    case 'nobody':
      return { status: 401, detail: 'Authentication required' }
    case 'stranger':
      return { status: 401, detail: 'Invalid or expired credential' }
    case 'unverifiable':
      return allow !== 'anyone' && allow.includes('user')
        ? { status: 503, detail: 'User tokens cannot be verified: no secret is configured' }
        : { status: 401, detail: 'Invalid or expired credential' }
    case 'known': {
      const allowed = allow === 'anyone' || allow.some((principal) => caller.principals.has(principal))
      return allowed ? null : { status: 403, detail: 'This credential is not for this route' }
    }
  }
}
