import { DISPLAY_PACKAGES, ELECTRON_PACKAGES, installPackages, mayInstallPackages } from './debian-packages.ts'
import { findElectron, folderOf, missingLibraries, versionOf } from './electron-runtime.ts'
import { findChromium, findOnPath, QUICK_BROWSER } from './find-program.ts'

/** A host that the specs can run in, with what Playwright must know of it; or why it is missing. */
export type SpecHost =
  | { project: string; found: true; env: Record<string, string>; wrapper: string[] }
  | { project: string; found: false; reason: string }

/** The browser; in CI it is installed where it is missing. */
export async function browserHost(): Promise<SpecHost> {
  const project = 'chromium'
  // Without the browser around them pages start and draw in half the time. Not every Debian has it.
  if (mayInstallPackages() && process.env['RAG_LADDER_CHROMIUM'] === undefined && findOnPath([QUICK_BROWSER]) === null)
    await installPackages([QUICK_BROWSER])
  if (findChromium('quick') === null && mayInstallPackages()) await installPackages(['chromium'])
  const path = findChromium('quick')
  if (path !== null) return { project, found: true, env: { RAG_LADDER_CHROMIUM: path }, wrapper: [] }
  const reason =
    'no Chromium: install "chromium" or Chrome, name one by RAG_LADDER_CHROMIUM, or run npm test -- --install'
  return { project, found: false, reason }
}

/** A virtual screen, so that windows of specs do not pop up; where that is missing, the real one. */
export async function screenWrapper(): Promise<string[] | null> {
  if (process.platform !== 'linux') return []
  const hasXvfb = (): boolean => findOnPath(['xvfb-run']) !== null && findOnPath(['xauth']) !== null
  if (!hasXvfb() && mayInstallPackages()) await installPackages(DISPLAY_PACKAGES)
  // Without -noreset the screen restarts whenever its last window closes, and an app that starts meanwhile finds none.
  if (hasXvfb()) return ['xvfb-run', '-a', '-s', '-screen 0 1920x1080x24 -noreset']
  return (process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']) ? [] : null
}

/** The desktop app. Its children run in this Node: the Electron at hand may be older than they need. */
export async function desktopHost(): Promise<SpecHost> {
  const missing = (reason: string): SpecHost => ({ project: 'electron', found: false, reason })
  const electron = await findElectron()
  if (electron === null)
    return missing('no Electron: "npx install-electron" fetches it, or name a folder by ELECTRON_OVERRIDE_DIST_PATH')
  if ((await missingLibraries(electron)).length > 0 && mayInstallPackages()) await installPackages(ELECTRON_PACKAGES)
  const libraries = await missingLibraries(electron)
  if (libraries.length > 0) return missing(`Electron needs ${libraries.join(', ')}: npm test -- --install`)
  const wrapper = await screenWrapper()
  if (wrapper === null) return missing('no screen: install xvfb and xauth, set DISPLAY, or run npm test -- --install')
  console.log(`Electron ${versionOf(electron) ?? 'of unknown version'}`)
  const env = { ELECTRON_OVERRIDE_DIST_PATH: folderOf(electron), RAG_LADDER_ENGINE_NODE: process.execPath }
  return { project: 'electron', found: true, env, wrapper }
}
