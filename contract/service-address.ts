import { z } from 'zod'

const MAX_ADDRESS_CHARS = 2048

const HttpUrl = z.url({ protocol: /^https?$/i })
/** Scheme, two slashes, a host without "@" and nothing that a URL parser would read in another way. */
const PLAIN_AUTHORITY = /^https?:\/\/[^/?#@\\\s]+(?:[/?#][^\\\s]*)?$/i
/** Query parameters that hold a secret by their name: `key`, `api_key`, `access_token`, `sig` and their like. */
const SECRET_PARAMETER = /(?:key|token|secret|password|passwd|pwd|auth|authorization|signature|sig|credentials?)$/i

/** Names of the query parameters of an address, decoded where they can be. */
function parameterNames(address: string): string[] {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? ''
  return query.split('&').map((pair) => {
    const name = pair.split('=')[0]!
    try {
      return decodeURIComponent(name)
    } catch {
      return name
    }
  })
}

/**
 * Why a text cannot be the address of a service; null for one that can. Addresses are stored in journals, events and rows, so none may
 * hold a credential: no user name, no password, no query parameter that is named like a secret. The text itself is not repeated.
 */
export function addressProblem(text: string): string | null {
  if (text.length > MAX_ADDRESS_CHARS) return `expected an address of at most ${MAX_ADDRESS_CHARS} characters`
  if (/^https?:[/\\]*[^/?#\\]*@/i.test(text))
    return 'remove user name and password from the address: credentials are read from the environment'
  if (!PLAIN_AUTHORITY.test(text) || !HttpUrl.safeParse(text).success) return 'expected an http or https address'
  const secret = parameterNames(text).find((name) => SECRET_PARAMETER.test(name))
  if (secret !== undefined)
    return `remove the query parameter ${secret} from the address: credentials are read from the environment`
  return null
}

/** Address of a service over http or https, without credentials. */
export const ServiceAddress = z.string().superRefine((text, context) => {
  const message = addressProblem(text)
  if (message !== null) context.addIssue({ code: 'custom', message })
})
