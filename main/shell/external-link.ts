const LONGEST = 2048

/** Names that only mean something on this machine or in this network. */
const isLocalName = (host: string): boolean =>
  !host.includes('.') || host.endsWith('.local') || host.endsWith('.internal') || host.endsWith('.localhost')
const isAddress = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host)

/**
 * The address that may be offered to the system's browser; null for everything else. Evidence is hostile text: only a public site by
 * https passes, without credentials, so that no link can reach another program, this machine, or its network.
 */
export function externalLink(address: string): string | null {
  if (address.length > LONGEST || !URL.canParse(address)) return null
  const url = new URL(address)
  const isPlain = url.protocol === 'https:' && url.username === '' && url.password === '' && url.port === ''
  return isPlain && !isLocalName(url.hostname) && !isAddress(url.hostname) ? url.href : null
}
