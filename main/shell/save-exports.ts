import { app, session } from 'electron'
import { join } from 'node:path'

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
