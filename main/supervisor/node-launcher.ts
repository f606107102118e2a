import { fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from './process-launcher.ts'

/** A process may be gone between the decision to signal it and the signal; macOS says EPERM of a group of zombies. */
function quietly(action: () => void): void {
  try {
    action()
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Children by `child_process.fork`, each the leader of its own group so that Ctrl-C in a terminal does not reach it first. */
export function createNodeLauncher(execPath = process.execPath): ProcessLauncher {
  return {
    launch({ entry, env }: LaunchSpec): LaunchedProcess {
      const child = fork(entry, [], {
        execPath,
        execArgv: [],
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: process.platform !== 'win32',
      })
      const lines = [child.stdout!, child.stderr!].map((input) => createInterface({ input }))
      return {
        pid: child.pid ?? null,
        onMessage: (listener) => void child.on('message', listener),
        onLine: (listener) => lines.forEach((reader) => reader.on('line', listener)),
        onExit(listener) {
          let told = false
          const once = (code: number | null, signal: string | null): void => {
            if (told) return
            told = true
            listener(code, signal)
          }
          child.on('exit', once)
          child.on('error', () => once(null, null))
        },
        requestStop: () => {
          if (child.connected) child.disconnect()
        },
        signalGroup: (signal) =>
          quietly(() => {
            if (child.pid === undefined) return
            if (process.platform === 'win32') child.kill(signal)
            else process.kill(-child.pid, signal)
          }),
      }
    },
  }
}
