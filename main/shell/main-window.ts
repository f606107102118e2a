import { BrowserWindow, nativeTheme, screen } from 'electron'
import { JsonFile } from './json-file.ts'
import { APP_ORIGIN } from './page-rules.ts'
import { placeWindow, SMALLEST, WindowPlace } from './window-place.ts'

interface MainWindowOptions {
  preload: string
  icon: string
  /** The file with its position. */
  placeFile: string
  /** Returns true when closing hides the window, because a run continues. */
  staysOnClose: () => boolean
  onHidden: () => void
  /** The page's process died too often in a row, or the page cannot be loaded, and trying again does not help. */
  onHopeless: (reason: string) => void
}

const SAVE_AFTER_MS = 500
/** Sets how often a page is loaded that cannot be. */
const LOADS = 5
const LOAD_AGAIN_AFTER_MS = 500
/** Deaths of the page's process within a minute after which it is not loaded again. */
const HOPELESS_AFTER = 3

/** The one window. It can be closed and shown again at any time; runs do not depend on it. */
export class MainWindow {
  readonly #options: MainWindowOptions
  readonly #place: JsonFile<typeof WindowPlace>
  #window: BrowserWindow | null = null
  #deaths: number[] = []

  constructor(options: MainWindowOptions) {
    this.#options = options
    this.#place = new JsonFile(options.placeFile, WindowPlace)
  }

  get window(): BrowserWindow | null {
    return this.#window
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false
  }

  /** Brings the window to the front, on a page when one is named, such as `/runs`. */
  show(page?: string): void {
    const window = this.#window
    if (window === null) {
      this.#open(page ?? '/')
      return
    }
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    if (page !== undefined) this.#load(window, page)
  }

  /** Part done in 0..1 on the taskbar's or dock's icon; null takes it off. */
  setProgress(ratio: number | null): void {
    this.#window?.setProgressBar(ratio ?? -1)
  }

  reload(): void {
    this.#window?.webContents.reload()
  }

  #open(page: string): void {
    const { preload, icon } = this.#options
    const kept = this.#place.read()
    const screens = screen.getAllDisplays().map(({ workArea }) => workArea)
    const window = new BrowserWindow({
      ...placeWindow(kept, screens),
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      title: 'RAG Ladder',
      icon,
      show: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#1a1b1e' : '#ffffff',
      webPreferences: {
        preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        navigateOnDragDrop: false,
        // Its dictionaries would be fetched from the network.
        spellcheck: false,
      },
    })
    this.#window = window
    if (kept?.is_maximized === true) window.maximize()
    window.once('ready-to-show', () => window.show())
    this.#followPlace(window)
    this.#followLife(window)
    this.#load(window, page)
  }

  /** Loads a page, retries when that fails, and reports the reason in the end. */
  #load(window: BrowserWindow, page: string, attempt = 1): void {
    window.loadURL(addressOf(page)).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException
      // Another page was requested in the meantime, or the window was closed.
      if (code === 'ERR_ABORTED' || window.isDestroyed()) return
      if (attempt === LOADS) this.#options.onHopeless(`it cannot be loaded, ${code ?? message}`)
      else setTimeout(() => !window.isDestroyed() && this.#load(window, page, attempt + 1), LOAD_AGAIN_AFTER_MS)
    })
  }

  #followPlace(window: BrowserWindow): void {
    let timer: NodeJS.Timeout | undefined
    const save = (): void => {
      clearTimeout(timer)
      if (window.isDestroyed()) return
      const place = { bounds: window.getNormalBounds(), is_maximized: window.isMaximized() }
      // Losing the position is harmless.
      this.#place.write(place).catch(() => undefined)
    }
    const soon = (): void => {
      clearTimeout(timer)
      timer = setTimeout(save, SAVE_AFTER_MS)
    }
    window.on('resize', soon)
    window.on('move', soon)
    window.on('close', save)
    window.once('closed', () => clearTimeout(timer))
  }

  #followLife(window: BrowserWindow): void {
    window.on('close', (event) => {
      if (!this.#options.staysOnClose()) return
      event.preventDefault()
      window.hide()
      this.#options.onHidden()
    })
    window.once('closed', () => (this.#window = null))
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit') return
      const now = Date.now()
      this.#deaths = [...this.#deaths.filter((at) => now - at < 60_000), now]
      if (this.#deaths.length < HOPELESS_AFTER) window.webContents.reload()
      else this.#options.onHopeless(reason)
    })
  }
}

const addressOf = (page: string): string => `${APP_ORIGIN}/#${page}`
