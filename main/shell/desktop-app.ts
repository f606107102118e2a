import { join } from 'node:path'
import { app, Menu, Notification, safeStorage, shell } from 'electron'
import type { SequencedEvent } from '../../contract/control/events.ts'
import type { SecretName, SecretOrigins } from '../../contract/control/settings.ts'
import type { DesktopInfo, RevealedFolder } from '../../contract/desktop.ts'
import { runPath } from '../../core/pages.ts'
import { makeProject } from '../manifests/project/make-project.ts'
import { createNodeLauncher } from '../supervisor/node-launcher.ts'
import type { ServiceState } from '../supervisor/service-state.ts'
import { menuTemplate, TrayIcon } from './app-menu.ts'
import * as dialogs from './dialogs.ts'
import { EngineHost } from './engine-host.ts'
import type { EngineAccess } from './forward-control.ts'
import { JsonFile } from './json-file.ts'
import { MainWindow } from './main-window.ts'
import { chooseProject, isProject, LastProject } from './project-folder.ts'
import { isWorking, NO_RUN, ratioOf, watchRun, type RunEnd } from './run-watch.ts'
import { SecretVault } from './secret-vault.ts'
import { ownFiles, type AppPaths, type ShellConfig } from './shell-config.ts'
import { createUtilityLauncher } from './utility-launcher.ts'

const SHOWN_LINES = 12

/* oxlint-disable typescript/no-deprecated -- their successors are missing in the oldest Electron that the shell runs in */
/** On Linux every program of the user may be able to read the store, which then keeps no secret. */
const systemCipher = {
  isAvailable: () =>
    safeStorage.isEncryptionAvailable() &&
    (process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'),
  encrypt: (text: string) => safeStorage.encryptString(text),
  decrypt: (bytes: Buffer) => safeStorage.decryptString(bytes),
}
/* oxlint-enable typescript/no-deprecated */

/** The running app: one window, one engine, one project. */
export class DesktopApp {
  readonly #config: ShellConfig
  readonly #paths: AppPaths
  readonly #window: MainWindow
  readonly #engine: EngineHost
  readonly #vault: SecretVault
  readonly #lastProject: JsonFile<typeof LastProject>
  #tray: TrayIcon | null = null
  #project = ''
  #watch = NO_RUN
  #life: 'running' | 'asking' | 'leaving' = 'running'
  #hasToldHidden = false

  constructor(config: ShellConfig, paths: AppPaths) {
    const files = ownFiles(app.getPath('userData'))
    this.#config = config
    this.#paths = paths
    this.#vault = new SecretVault(files.secrets, systemCipher)
    this.#lastProject = new JsonFile(files.project, LastProject)
    this.#window = new MainWindow({
      preload: paths.preload,
      icon: paths.icon,
      placeFile: files.window,
      staysOnClose: () => this.#life !== 'leaving' && (process.platform === 'darwin' || isWorking(this.#watch)),
      onHidden: () => this.#notifyHidden(),
      onHopeless: (reason) =>
        void dialogs.showLines(this.#parent, `The page does not stay up: ${reason}`, this.#lines()),
    })
    const ownChildren = createUtilityLauncher(paths.bootstrap)
    this.#engine = new EngineHost({
      entry: config.engineEntry ?? paths.engineEntry,
      rendererDir: paths.rendererDir,
      launcher:
        config.engineNode === null
          ? ownChildren
          : createNodeLauncher(config.engineNode, app.isPackaged ? ownChildren : null),
      onState: (state) => void this.#onEngineState(state),
      onEvent: (event) => this.#onEvent(event),
    })
  }

  get #parent() {
    return this.#window.window
  }

  #lines(): string[] {
    return this.#engine.lastLines(SHOWN_LINES)
  }

  /** Returns how pages reach the engine. */
  get engineAccess(): EngineAccess {
    const { outerEngine } = this.#config
    return {
      open: outerEngine === null ? this.#engine.engineAccess : async () => outerEngine,
      onAnswered: (procedure, body, ok) => {
        if (ok && procedure === 'settings/update')
          this.#keepSecrets(body).catch((error: unknown) => process.stderr.write(`secrets: ${String(error)}\n`))
      },
    }
  }

  /** Opens project and window. */
  async start(): Promise<void> {
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        menuTemplate(
          {
            show: (page) => this.show(page),
            openProject: () => void this.chooseProject(),
            revealResults: () => void this.reveal('results'),
            openInBrowser: () => void this.#openInBrowser(),
            restartEngine: () => void this.#engine.open(this.#project),
            showLog: () => void dialogs.showLines(this.#parent, 'Engine', this.#engine.lastLines(30)),
          },
          process.platform,
          app.isPackaged,
        ),
      ),
    )
    if (this.#config.outerEngine === null) await this.#openProject(this.#projectToOpen())
    this.#window.show()
    this.#tray = this.#makeTray()
  }

  show(page?: string): void {
    // Who asks for the app while it ends gets the next one.
    if (this.#life !== 'leaving') this.#window.show(page)
  }

  offerLink(link: string): void {
    void dialogs.offerLink(this.#parent, link)
  }

  async describe(): Promise<DesktopInfo> {
    return {
      platform: process.platform,
      version: app.getVersion(),
      project: this.#project,
      keeps_secrets: this.#vault.isAvailable,
      kept_secrets: await this.#keptSecrets(),
    }
  }

  async reveal(folder: RevealedFolder): Promise<void> {
    const settings = await this.#engine.client()?.settings.get()
    const problem = await shell.openPath(settings?.folders[folder] ?? this.#project)
    if (problem !== '') throw new Error(problem)
  }

  /** Lets a person choose a project and opens it; null when they did not. */
  async chooseProject(): Promise<string | null> {
    const folder = await dialogs.chooseFolder(this.#parent, this.#project)
    if (folder === null) return null
    if (!isProject(folder)) {
      if (!(await dialogs.confirmNewProject(this.#parent, folder))) return null
      await makeProject(folder, this.#paths.template)
    }
    if (!(await this.#mayStop())) return null
    await this.#openProject(folder)
    this.#window.reload()
    return folder
  }

  /** Returns true when the app may end now; if not, it ends by itself once the engine has. */
  mayQuit(isAsked: boolean): boolean {
    if (this.#life === 'leaving') return true
    if (this.#life === 'running') {
      this.#life = 'asking'
      void this.#leave(isAsked)
    }
    return false
  }

  async #leave(isAsked: boolean): Promise<void> {
    if (isAsked && !(await this.#mayStop())) {
      this.#life = 'running'
      return
    }
    this.#life = 'leaving'
    await this.#engine.close()
    app.exit(0)
  }

  /** Asks when a run would be stopped by what comes. */
  async #mayStop(): Promise<boolean> {
    const { job } = this.#watch
    return job === null || !isWorking(this.#watch) || dialogs.confirmQuit(this.#parent, job.run_id)
  }

  #projectToOpen(): string {
    const usual = app.isPackaged ? join(app.getPath('documents'), 'RAG Ladder') : app.getAppPath()
    return chooseProject({
      named: this.#config.project,
      // A checkout is its own project: what another start opened is not carried into it.
      last: app.isPackaged ? (this.#lastProject.read()?.folder ?? null) : null,
      usual,
    })
  }

  async #openProject(folder: string): Promise<void> {
    if (!isProject(folder)) await makeProject(folder, this.#paths.template)
    this.#project = folder
    this.#watch = NO_RUN
    await this.#lastProject.write({ folder })
    await this.#engine.open(folder)
  }

  async #openInBrowser(): Promise<void> {
    const link = await this.#engine.client()?.system.browserLink()
    if (link !== undefined) await shell.openExternal(link.url)
  }

  async #onEngineState(state: ServiceState): Promise<void> {
    if (state.name === 'ready') await this.#giveSecrets()
    if (state.name !== 'failed') return
    const choice = await dialogs.tellEngineFailed(this.#parent, state.reason, this.#lines())
    if (choice === 'again') this.#engine.start()
    else if (choice === 'quit') app.quit()
    else if ((await this.chooseProject()) === null) this.#engine.start()
  }

  /** Returns where the engine sends each token now; null while it does not run. */
  async #secretOrigins(): Promise<SecretOrigins | null> {
    return (await this.#engine.client()?.settings.get())?.secret_origins ?? null
  }

  async #keepSecrets(body: string): Promise<void> {
    const origins = await this.#secretOrigins()
    if (origins !== null) await this.#vault.follow(body, origins)
  }

  async #keptSecrets(): Promise<SecretName[]> {
    const origins = await this.#secretOrigins().catch(() => null)
    return origins === null ? [] : this.#vault.namesFor(origins)
  }

  async #giveSecrets(): Promise<void> {
    // An engine that has ended meanwhile gets them at its next start.
    const origins = await this.#secretOrigins().catch(() => null)
    const secrets = origins === null ? {} : this.#vault.secretsFor(origins)
    if (Object.keys(secrets).length === 0) return
    await this.#engine
      .client()
      ?.settings.update({ secrets })
      .catch(() => undefined)
  }

  #onEvent({ event, at }: SequencedEvent): void {
    const before = ratioOf(this.#watch)
    const { watch, end } = watchRun(this.#watch, event, at)
    this.#watch = watch
    const ratio = ratioOf(watch)
    if (percent(ratio) !== percent(before)) {
      this.#window.setProgress(ratio)
      this.#tray?.show(ratio === null ? 'no run in progress' : `${watch.job?.run_id ?? 'run'}: ${percent(ratio)}`)
    }
    if (end !== null) this.#notifyEnd(end)
  }

  #notifyEnd({ title, body, isGood, runId }: RunEnd): void {
    if (this.#window.isFocused || !Notification.isSupported()) return
    const notification = new Notification({ title, body, icon: this.#paths.icon })
    notification.on('click', () => this.show(runPath(runId, isGood ? 'verdict' : 'progress')))
    notification.show()
  }

  #notifyHidden(): void {
    if (this.#hasToldHidden || !isWorking(this.#watch) || !Notification.isSupported()) return
    this.#hasToldHidden = true
    const body = 'Start RAG Ladder again, or use its icon, to come back to it.'
    new Notification({ title: 'The run continues', body, icon: this.#paths.icon }).show()
  }

  #makeTray(): TrayIcon | null {
    try {
      return new TrayIcon(this.#paths.trayIcon, {
        show: () => this.show(),
        showProgress: () => {
          const run = this.#watch.job?.run_id
          this.show(run === undefined ? '/runs' : runPath(run, 'progress'))
        },
        quit: () => app.quit(),
      })
    } catch (error) {
      // Some desktops have no tray; there a second start shows the window again.
      process.stderr.write(`no tray icon: ${String(error)}\n`)
      return null
    }
  }
}

const percent = (ratio: number | null): string | null => (ratio === null ? null : `${Math.floor(ratio * 100)} %`)
