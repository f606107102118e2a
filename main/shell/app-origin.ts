/** The desktop app's own scheme: its pages are neither files nor anybody's web site. */
export const APP_SCHEME = 'app'
const APP_HOST = 'panel'
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`

/** Whether an address is one of our own pages. Anything that is no address is not. */
export function isAppUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  return protocol === `${APP_SCHEME}:` && host === APP_HOST && username === '' && password === ''
}
