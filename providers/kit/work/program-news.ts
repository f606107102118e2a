import type { ChildProcess } from 'node:child_process'
import { parentPort } from '../parent-port.ts'
import { killGroup } from './kill-group.ts'

/** Whether a program of a working process's runs: where that process is no group of its own, its service ends the program with it. */
interface ProgramNews {
  pid: number
  isRunning: boolean
}

const TYPE = 'program'

/** Null for other messages. */
export function programNews(message: unknown): ProgramNews | null {
  const { type, pid, isRunning } = (message ?? {}) as { type?: unknown; pid?: unknown; isRunning?: unknown }
  return type === TYPE && typeof pid === 'number' && typeof isRunning === 'boolean' ? { pid, isRunning } : null
}

/** Whether a program must be started as a group of its own, to be ended as a whole. */
export const needsOwnGroup = (): boolean => parentPort() !== null && process.platform !== 'win32'

/** Tells of a program that was started with `detached: needsOwnGroup()`. */
export function tellOfProgram(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined || parentPort() === null) return
  const tell = (isRunning: boolean): void => void process.send!({ type: TYPE, pid, isRunning })
  const onExit = (): void => killGroup(pid)
  process.once('exit', onExit)
  tell(true)
  child.once('close', () => {
    process.off('exit', onExit)
    tell(false)
  })
}
