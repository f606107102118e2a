import { Menu, nativeImage, Tray } from 'electron'

export interface TrayActions {
  show: (page?: string) => void
  quit: () => void
}

/** The icon that stays while the window is closed; says what is under way. */
export class TrayIcon {
  readonly #tray: Tray
  readonly #actions: TrayActions

  constructor(icon: string, actions: TrayActions) {
    this.#tray = new Tray(nativeImage.createFromPath(icon).resize({ width: 18, height: 18 }))
    this.#actions = actions
    this.#tray.on('click', () => actions.show())
    this.tell('no run under way')
  }

  tell(state: string): void {
    const { show, quit } = this.#actions
    this.#tray.setToolTip(`RAG Ladder: ${state}`)
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: state, enabled: false },
        { type: 'separator' },
        { label: 'Open RAG Ladder', click: () => show() },
        { label: 'Ladder', click: () => show('/ladder') },
        { type: 'separator' },
        { label: 'Quit', click: quit },
      ]),
    )
  }
}
