import { contextBridge, ipcRenderer, webUtils } from 'electron'
import type { DesktopBridge, DesktopCall } from '../contract/desktop.ts'

const call = <Result>(name: DesktopCall, input?: unknown): Promise<Result> =>
  ipcRenderer.invoke(name, input) as Promise<Result>

const bridge: DesktopBridge = {
  describe: () => call('desktop.describe'),
  chooseProject: () => call('project.choose'),
  // A page cannot name a path: only a file that came from the disk has one.
  openOriginal: (file) => call('document.open', webUtils.getPathForFile(file as File)),
  reveal: (folder) => call('folder.reveal', folder),
}
contextBridge.exposeInMainWorld('ragLadderDesktop', bridge)
