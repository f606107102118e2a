import { resolve } from 'node:path'
import { app, dialog, protocol, shell } from 'electron'
import { missingFolder } from './manifests/project/project-folder.ts'
import { askWhereToSave, containEverything } from './shell/containment.ts'
import { DesktopApp } from './shell/desktop-app.ts'
import { registerDesktopCalls } from './shell/desktop-calls.ts'
import { openDocument } from './shell/open-document.ts'
import { APP_SCHEME } from './shell/page-rules.ts'
import { createPanelHandler } from './shell/panel-handler.ts'
import { appPaths, readShellConfig } from './shell/shell-config.ts'

const config = readShellConfig(process.argv.slice(1), process.env, app.isPackaged)

// Electron's own starter replaces the requested folder by its own.
const userData = app.commandLine.getSwitchValue('user-data-dir')
if (userData !== '') app.setPath('userData', userData)

// All of this must be set before Electron is ready, so nothing here may wait.
protocol.registerSchemesAsPrivileged([
  { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
])
// As root no sandbox is available, and asking for one anyway ends the program.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()

function fail(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${text}\n`)
  dialog.showErrorBox('RAG Ladder ended unexpectedly', `${text}\n\nFinished answers are kept; the run can be resumed.`)
  app.exit(1)
}

async function start(): Promise<void> {
  const missing = config.project === null ? null : missingFolder(resolve(config.project))
  if (missing !== null) {
    process.stderr.write(`error: ${missing}\n`)
    app.exit(2)
    return
  }
  const paths = appPaths(app.getAppPath(), app.isPackaged)
  const desktop = new DesktopApp(config, paths)
  const { devServer } = config
  containEverything({ offerExternal: (link) => desktop.offerLink(link), devServer })
  askWhereToSave()
  protocol.handle(
    APP_SCHEME,
    createPanelHandler({ rendererDir: paths.rendererDir, engine: desktop.engineAccess, devServer }),
  )
  registerDesktopCalls({
    'desktop.describe': () => desktop.describe(),
    'project.choose': () => desktop.chooseProject(),
    'document.open': (path) => openDocument(path, (file) => shell.openPath(file)).then(() => undefined),
    'folder.reveal': (folder) => desktop.reveal(folder).then(() => undefined),
  })
  app.on('second-instance', () => desktop.show())
  app.on('activate', () => desktop.show())
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  let isAsked = true
  app.on('before-quit', (event) => {
    if (!desktop.mayQuit(isAsked)) event.preventDefault()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // There may be no user to answer a question.
      isAsked = false
      app.quit()
    })
  await desktop.start()
}

/** While the shell is worked on, an edit restarts it before the one that it follows has ended its engine. */
const PATIENCE_MS = config.devServer === null ? 0 : 15_000
const ASK_AGAIN_MS = 100

/** Returns true when this is the only instance now. */
async function becomesOnly(): Promise<boolean> {
  for (let waitedMs = 0; !app.requestSingleInstanceLock(); waitedMs += ASK_AGAIN_MS) {
    if (waitedMs >= PATIENCE_MS) return false
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
  return true
}

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
becomesOnly()
  .then((isOnly) => (isOnly ? app.whenReady().then(start) : app.quit()))
  .catch(fail)
