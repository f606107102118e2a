import { Menu, nativeImage, Tray, type MenuItemConstructorOptions } from 'electron'
import { FOOT_PAGES, PLACES } from '../../core/pages.ts'

/** Describes what the menu can do besides what every application can. */
interface MenuActions {
  show: (page: string) => void
  openProject: () => void
  revealResults: () => void
  openInBrowser: () => void
  restartEngine: () => void
  showLog: () => void
}

/** The places with the numbers of their keys, then the pages at the foot of the sidebar. */
const goItems = (actions: MenuActions): MenuItemConstructorOptions[] => [
  ...PLACES.map(({ path, label }, index) => ({
    label,
    accelerator: `CmdOrCtrl+${index + 1}`,
    click: () => actions.show(path),
  })),
  { type: 'separator' },
  ...FOOT_PAGES.map(({ path, label }) => ({ label, click: () => actions.show(path) })),
]

/** The application's menu; the first submenu exists only on macOS, where every application has it. */
export function menuTemplate(
  actions: MenuActions,
  platform: NodeJS.Platform,
  isPackaged: boolean,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        { label: 'New run', accelerator: 'CmdOrCtrl+N', click: () => actions.show('/launch') },
        { type: 'separator' },
        { label: 'Open project…', accelerator: 'CmdOrCtrl+O', click: actions.openProject },
        { label: 'Show results folder', click: actions.revealResults },
        { type: 'separator' },
        { label: 'Open in the browser', click: actions.openInBrowser },
        { type: 'separator' },
        { role: 'close' },
        ...(isMac ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    { label: '&Go', submenu: goItems(actions) },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        ...(isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      label: '&Help',
      submenu: [
        { label: 'Guide', accelerator: 'F1', click: () => actions.show('/guide') },
        { label: 'Keyboard shortcuts', click: () => actions.show('/guide?page=keyboard') },
        { label: 'Troubleshooting', click: () => actions.show('/guide?page=troubleshooting') },
        { label: 'Licences', click: () => actions.show('/guide?page=licences') },
        { type: 'separator' },
        { label: 'Engine log…', click: actions.showLog },
        { label: 'Restart the engine', click: actions.restartEngine },
        ...(isMac ? [] : [{ type: 'separator' } as const, { role: 'about' } as const]),
      ],
    },
  ]
}

interface TrayActions {
  show: () => void
  showProgress: () => void
  quit: () => void
}

/** The icon that stays while the window is closed; shows the progress of the run. */
export class TrayIcon {
  readonly #tray: Tray
  readonly #actions: TrayActions

  constructor(icon: string, actions: TrayActions) {
    this.#tray = new Tray(nativeImage.createFromPath(icon).resize({ width: 18, height: 18 }))
    this.#actions = actions
    this.#tray.on('click', () => actions.show())
    this.show('no run in progress')
  }

  show(state: string): void {
    const { show, showProgress, quit } = this.#actions
    this.#tray.setToolTip(`RAG Ladder: ${state}`)
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: state, enabled: false },
        { type: 'separator' },
        { label: 'Open RAG Ladder', click: show },
        { label: 'Progress', click: showProgress },
        { type: 'separator' },
        { label: 'Quit', click: quit },
      ]),
    )
  }
}
