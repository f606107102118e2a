import { isAppUrl } from './app-origin.ts'

export interface PermissionWish {
  /** Electron's name of it. */
  permission: string
  /** Page that asks. */
  url: string
  isMainFrame: boolean
  /** Of `media`: what shall be recorded; empty in a mere check of cameras and microphones together. */
  media: readonly string[]
}

/** Nothing is permitted but the microphone, and that to our own pages only. */
export function isPermitted({ permission, url, isMainFrame, media }: PermissionWish): boolean {
  return (
    permission === 'media' &&
    isMainFrame &&
    isAppUrl(url) &&
    media.length > 0 &&
    media.every((kind) => kind === 'audio')
  )
}
