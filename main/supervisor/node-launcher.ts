import { fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { withoutCredentials } from '../../core/credential-names.ts'
import { serveLaunches } from './host-launcher.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from './process-launcher.ts'

/** A process may end between the decision to signal it and the signal; macOS reports EPERM for a group of zombies. */
export function quietly(action: () => void): void {
  try {
    action()
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Set for a child of this launcher: its host starts services for it. */
export const HOST_LAUNCHES_VARIABLE = 'RAG_LADDER_HOST_LAUNCHES'

/**
 * V8's young generation grows to 128 MB under load and stays so large; a service allocates much and keeps little, and is as fast with 32 MB. With
 * 8 MB its event loop is held a quarter longer by the collector (99th percentile of the soak: 17 ms of processor time, 13 with 32 MB). Only a process's arguments can set this.
 */
export const SERVICE_FLAGS: readonly string[] = ['--max-semi-space-size=16']

/**
 * For glibc's malloc, which otherwise keeps freed memory in an arena for each thread and, once it has seen large blocks, gives those back no more.
 * Other systems ignore these.
 */
export const SERVICE_MEMORY: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
}

/**
 * Children by `child_process.fork`, each the leader of its own group so that Ctrl-C in a terminal does not reach it first. What they ask their
 * host to start is started by `lent`, where there is one.
 */
export function createNodeLauncher(execPath = process.execPath, lent: ProcessLauncher | null = null): ProcessLauncher {
  return {
    launch({ entry, env, withoutCredentials: isPlain = false }: LaunchSpec): LaunchedProcess {
      const child = fork(entry, [], {
        execPath,
        execArgv: [...SERVICE_FLAGS],
        env: {
          ...SERVICE_MEMORY,
          ...(isPlain ? withoutCredentials(process.env) : process.env),
          ...env,
          ...(lent === null ? {} : { [HOST_LAUNCHES_VARIABLE]: '1' }),
        },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: process.platform !== 'win32',
      })
      if (lent !== null)
        serveLaunches(lent, {
          send: (message) => void (child.connected && child.send(message as object)),
          onMessage: (listener) => void child.on('message', listener),
          onClose: (listener) => void child.once('exit', listener),
        })
      const lines = [child.stdout!, child.stderr!].map((input) => createInterface({ input }))
      return {
        pid: child.pid ?? null,
        onMessage: (listener) => void child.on('message', listener),
        onLine: (listener) => lines.forEach((reader) => reader.on('line', listener)),
        onExit(listener) {
          let isReported = false
          const once = (code: number | null, signal: string | null): void => {
            if (isReported) return
            isReported = true
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
