import { join } from 'node:path'

/** Where the parts of the app are, in a checkout and in a package. */
export interface Places {
  /** Folder of the built shell. */
  shellDir: string
  preload: string
  bootstrap: string
  icon: string
  trayIcon: string
  rendererDir: string
  engineEntry: string
  /** Holds the manifests and corpora that a new project starts with. */
  template: string
}

/**
 * In a package the shell stands in an archive, and everything that other processes read stands unpacked beside it: a plain Node cannot look
 * into archives.
 */
export function placesOf(appPath: string, isPackaged: boolean): Places {
  const open = isPackaged ? appPath.replace(/app\.asar$/, 'app.asar.unpacked') : appPath
  return {
    shellDir: join(appPath, 'out/main'),
    preload: join(appPath, 'out/preload/index.cjs'),
    bootstrap: join(open, 'out/main/utility-child.js'),
    icon: join(appPath, 'build/icons/icon.png'),
    trayIcon: join(appPath, 'build/icons/tray.png'),
    rendererDir: join(open, 'out/renderer'),
    engineEntry: isPackaged ? join(open, 'out/app/main/engine/index.js') : join(appPath, 'main/engine/index.ts'),
    template: open,
  }
}
