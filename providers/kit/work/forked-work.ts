import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EndListeners } from './end-listeners.ts'
import { killGroup } from './kill-group.ts'
import { withoutCredentials } from '../../../contract/credential-names.ts'
import type { WorkOptions, WorkProcess } from './work-process.ts'

/** A working process as a child of this one. */
export function forkWork({ entry, args = [], heapMib, startsPrograms = false, onPrint }: WorkOptions): WorkProcess {
  // A group of its own takes along what it starts; one without programs stays in the service's, which its host may kill as a whole.
  const hasGroup = startsPrograms && process.platform !== 'win32'
  const child = fork(fileURLToPath(entry), args, {
    serialization: 'advanced',
    execArgv: ['--no-warnings', ...(heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`])],
    stdio: onPrint === undefined ? ['ignore', 'ignore', 'inherit', 'ipc'] : ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: hasGroup,
    env: withoutCredentials(process.env),
  })
  const ends = new EndListeners()
  const { pid } = child
  child.once('exit', (code, signal) => {
    if (hasGroup && pid !== undefined) killGroup(pid)
    ends.tell({ code, signal })
  })
  child.on('error', () => {
    if (pid === undefined) ends.tell({ code: null, signal: null })
  })
  if (onPrint !== undefined)
    for (const output of [child.stdout!, child.stderr!]) output.setEncoding('utf8').on('data', onPrint)
  const kill = (): void => {
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    if (hasGroup) killGroup(pid)
    else child.kill('SIGKILL')
  }
  const release = (): void => {
    child.unref()
    child.channel?.unref()
  }
  release()
  return {
    get isAlive() {
      return child.connected && !ends.isOver
    },
    send: (message) =>
      void child.send(message, (error) => {
        if (error !== null) kill()
      }),
    onMessage(listener) {
      child.on('message', listener)
      return () => void child.off('message', listener)
    },
    onEnd: (listener) => ends.add(listener),
    kill,
    hold() {
      child.ref()
      child.channel?.ref()
    },
    release,
  }
}
