// These rules define what pages may do: which addresses are the app's own pages, which links may open in a browser, which permissions are granted.

/** The app's own scheme: its pages are neither files nor a web site. */
export const APP_SCHEME = 'app'
const APP_HOST = 'panel'
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`

/** Returns true when an address is one of the app's pages; false for an invalid one. */
export function isAppUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  return protocol === `${APP_SCHEME}:` && host === APP_HOST && username === '' && password === ''
}

const MAX_LINK_CHARS = 2048

/** Names that only mean something on this machine or in this network. */
const isLocalName = (host: string): boolean =>
  !host.includes('.') || host.endsWith('.local') || host.endsWith('.internal') || host.endsWith('.localhost')
const isAddress = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host)

/**
 * The address that may be offered to the system's browser; null for everything else. Evidence is hostile text: only a public site by
 * https passes, without credentials, so that no link can reach another program, this machine, or its network.
 */
export function externalLink(address: string): string | null {
  if (address.length > MAX_LINK_CHARS || !URL.canParse(address)) return null
  const url = new URL(address)
  const isPlain = url.protocol === 'https:' && url.username === '' && url.password === '' && url.port === ''
  return isPlain && !isLocalName(url.hostname) && !isAddress(url.hostname) ? url.href : null
}

interface PermissionRequest {
  /** Electron's name. */
  permission: string
  /** The requesting page. */
  url: string
  isMainFrame: boolean
  /** Of `media`: the requested kinds; empty in a check without a request. */
  media: readonly string[]
}

/** Only the microphone is permitted, and only to the app's own pages. */
export function isPermitted({ permission, url, isMainFrame, media }: PermissionRequest): boolean {
  return (
    permission === 'media' &&
    isMainFrame &&
    isAppUrl(url) &&
    media.length > 0 &&
    media.every((kind) => kind === 'audio')
  )
}
