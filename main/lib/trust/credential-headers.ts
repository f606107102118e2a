import { rememberSecrets } from '../../../core/known-secrets.ts'

/** These open a platform's routes; null for what it does not ask for. */
export interface Credentials {
  /** Sent as `Authorization: Bearer …`. */
  apiKey: string | null
  /** Key of an edge in front of the platform, sent as `apikey`. */
  edgeKey?: string | null
}

/** Credentials as request headers; from then on, no text of a service that repeats them is stored with them. */
export function credentialHeaders({ apiKey, edgeKey = null }: Credentials): Record<string, string> {
  rememberSecrets(apiKey, edgeKey)
  return {
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(edgeKey === null ? {} : { apikey: edgeKey }),
  }
}
