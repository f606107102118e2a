import type { ChildProcess } from 'node:child_process'
import { parentPort } from '../parent-port.ts'

/** From a working process to its service: a program that it started runs or has ended. Where the process has no group of its own, the
 * service ends the program with it. */
interface ProgramMessage {
  pid: number
  isRunning: boolean
}

const TYPE = 'program'

/** Null for other messages. */
export function readProgramMessage(message: unknown): ProgramMessage | null {
  const { type, pid, isRunning } = (message ?? {}) as { type?: unknown; pid?: unknown; isRunning?: unknown }
  return type === TYPE && typeof pid === 'number' && typeof isRunning === 'boolean' ? { pid, isRunning } : null
}

/** Returns true when a program must be started as a group of its own, to be ended as a whole. */
export const needsOwnGroup = (): boolean => parentPort() !== null && process.platform !== 'win32'

/** Reports a program that was started with `detached: needsOwnGroup()`. */
export function reportProgram(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined || parentPort() === null) return
  const report = (isRunning: boolean): void => void process.send!({ type: TYPE, pid, isRunning })
  const onExit = (): void => killGroup(pid)
  process.once('exit', onExit)
  report(true)
  child.once('close', () => {
    process.off('exit', onExit)
    report(false)
  })
}

/** Kills a process group, or a process where there are no groups; it may have ended already. macOS reports EPERM for a group of zombies. */
export function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
