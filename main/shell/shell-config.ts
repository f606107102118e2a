import { join } from 'node:path'
import { parseArgs } from 'node:util'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of this start of the app. */
export interface ShellConfig {
  /** Project that was named by argument or environment. */
  project: string | null
  /** A Node to start the children with, instead of the app's own; needed where the app's is too old for them. */
  engineNode: string | null
  /** An engine that runs elsewhere, for work on the pages and their specs. Never in a package. */
  outerEngine: { url: string; token: string } | null
  /** Module of the engine in a bundle of the program, for specs of the app. Never in a package. */
  engineEntry: string | null
  /** Server that builds the pages as they change. Never in a package. */
  devServer: string | null
}

const textOf = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text)

/** Reads arguments and environment; what only serves development is not read in a package. */
export function readShellConfig(args: string[], env: Environment, isPackaged: boolean): ShellConfig {
  // Chromium's own switches are among the arguments and are ignored.
  const { values } = parseArgs({ args, options: { project: { type: 'string' } }, strict: false })
  const url = isPackaged ? null : textOf(env['RAG_LADDER_ENGINE_URL'])
  return {
    project: textOf(typeof values.project === 'string' ? values.project : env['RAG_LADDER_PROJECT']),
    engineNode: textOf(env['RAG_LADDER_ENGINE_NODE']),
    outerEngine: url === null ? null : { url, token: env['RAG_LADDER_ENGINE_TOKEN'] ?? '' },
    engineEntry: isPackaged ? null : textOf(env['RAG_LADDER_ENGINE_ENTRY']),
    devServer: isPackaged ? null : textOf(env['ELECTRON_RENDERER_URL']),
  }
}

/** Files that the app keeps for itself in its folder of the user's data. */
export const ownFiles = (userData: string) => ({
  window: join(userData, 'window.json'),
  project: join(userData, 'project.json'),
  secrets: join(userData, 'secrets.json'),
})

/** The paths of the app's parts, in a checkout and in a package. */
export interface AppPaths {
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
 * In a package the shell is in an archive, and everything that other processes read is unpacked beside it: a plain Node cannot read
 * archives.
 */
export function appPaths(appPath: string, isPackaged: boolean): AppPaths {
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
