import { contextBridge, ipcRenderer } from 'electron'
import type { DesktopBridge, DesktopCall } from '../contract/desktop.ts'

const call = <Result>(name: DesktopCall, input?: unknown): Promise<Result> =>
  ipcRenderer.invoke(name, input) as Promise<Result>

const bridge: DesktopBridge = {
  describe: () => call('desktop.describe'),
  chooseProject: () => call('project.choose'),
  reveal: (folder) => call('folder.reveal', folder),
}
contextBridge.exposeInMainWorld('ragLadderDesktop', bridge)
