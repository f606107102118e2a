import { execFile } from 'node:child_process'
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
