import { join } from 'node:path'
import { app, session, type WebContents, type WebFrameMain } from 'electron'
import { CONTROL_PREFIX } from '../../contract/control/router.ts'
import { externalLink, isAppUrl, isPermitted } from './page-rules.ts'

interface Containment {
  /** Offers a public site to the system's browser; the address has passed the check. */
  offerExternal: (link: string) => void
  /** While the pages are worked on: the server that they are built by, which they may talk to. */
  devServer: string | null
}

/** Schemes that never leave the page. */
const INNER = ['app:', 'blob:', 'data:', 'devtools:']

function mayBeLoaded(address: string, devServer: string | null): boolean {
  if (INNER.some((scheme) => address.startsWith(scheme))) return true
  return devServer !== null && address.replace(/^ws/, 'http').startsWith(devServer)
}

const isControlCall = (address: string): boolean =>
  isAppUrl(address) && new URL(address).pathname.startsWith(CONTROL_PREFIX)

/** The outermost frame of a page of ours: nothing embedded, and no page that replaced it. */
export const isOwnPage = (frame: WebFrameMain | null | undefined): boolean =>
  frame !== null && frame !== undefined && frame.parent === null && isAppUrl(frame.url)

function offer(address: string, { offerExternal }: Containment): void {
  const link = externalLink(address)
  if (link !== null) offerExternal(link)
}

function containContents(contents: WebContents, rules: Containment): void {
  contents.setWindowOpenHandler(({ url }) => {
    offer(url, rules)
    return { action: 'deny' }
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => {
    if (isAppUrl(event.url) && event.isMainFrame) return
    event.preventDefault()
    if (event.isMainFrame) offer(event.url, rules)
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
}

function containSession({ devServer }: Containment): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((_contents, permission, answer, details) => {
    const media = 'mediaTypes' in details ? (details.mediaTypes ?? []) : []
    answer(isPermitted({ permission, url: details.requestingUrl, isMainFrame: details.isMainFrame, media }))
  })
  defaultSession.setPermissionCheckHandler((_contents, permission, origin, { isMainFrame, mediaType }) =>
    isPermitted({ permission, url: origin, isMainFrame, media: mediaType === undefined ? [] : [mediaType] }),
  )
  defaultSession.setDevicePermissionHandler(() => false)
  // The policy forbids it already; this holds for what a page without a policy would try, too.
  defaultSession.webRequest.onBeforeRequest(({ url, frame }, answer) =>
    answer({ cancel: !mayBeLoaded(url, devServer) || (isControlCall(url) && !isOwnPage(frame)) }),
  )
}

/** Keeps every window, frame and request of the app inside it. Call it once, before the first window. */
export function containEverything(rules: Containment): void {
  containSession(rules)
  app.on('web-contents-created', (_event, contents) => containContents(contents, rules))
}

/** Every file that a page offers goes through the system's save dialog; only our own pages can offer one. */
export function askWhereToSave(): void {
  session.defaultSession.on('will-download', (event, item) => {
    const address = item.getURL()
    if (!address.startsWith('blob:app://panel/') && !address.startsWith('data:image/')) {
      event.preventDefault()
      return
    }
    item.setSaveDialogOptions({ title: 'Save', defaultPath: join(app.getPath('downloads'), item.getFilename()) })
  })
}
