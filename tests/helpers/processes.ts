import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** Ids of a process's living children. */
export async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child!] : []))
}

/** Ids of the living processes that have a text in their command line. */
export async function processesNaming(text: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='])
  return stdout
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid && isAlive(pid))
}

/** Returns true when a process lives. One that has ended and was not reaped yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (!existsSync('/proc/self/stat')) return true
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
