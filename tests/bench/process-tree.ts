import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

export interface MeasuredTree {
  code: number | null
  wallS: number
  /** Highest resident memory in MB of each kind of process, and of all at one moment (`all`); empty where the system has no /proc. */
  peaks: Record<string, number>
  output: string
}

/** Command lines of processes that have a name here; others are `other`. */
const KINDS = [
  [/(?:gguf|onnx)-child/, 'language model'],
  [/platform/, 'platform'],
  [/rag-ladder|cli\.ts/, 'command line'],
] as const

/** Resident memory in MB of a process and everything it started, by kind. Memory that processes share counts in each of them. */
export async function residentOfTree(root: number): Promise<Record<string, number>> {
  const processes = new Map<number, { parent: number; mb: number; kind: string }>()
  for (const name of await readdir('/proc').catch(() => [])) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    const value = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    const kind = KINDS.find(([pattern]) => pattern.test(command))?.[1] ?? 'other'
    processes.set(pid, { parent: value('PPid'), mb: value('VmRSS') / 1024, kind })
  }
  const found: Record<string, number> = {}
  for (const [pid, { mb, kind }] of processes) {
    let at: number | undefined = pid
    while (at !== undefined && at !== root && at !== 0) at = processes.get(at)?.parent
    if (at !== root) continue
    found[kind] = (found[kind] ?? 0) + mb
    found['all'] = (found['all'] ?? 0) + mb
  }
  return found
}

/** Runs a command and measures the memory of its whole tree of processes once a second. */
export async function measureTree(
  command: string,
  args: string[],
  { env, cwd, onLine }: { env: Record<string, string>; cwd: string; onLine: (line: string) => void },
): Promise<MeasuredTree> {
  const started = performance.now()
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: string[] = []
  let unfinished = ''
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part.toString())
    const lines = (unfinished + part.toString()).split('\n')
    unfinished = lines.pop()!
    for (const line of lines) onLine(line)
  })
  child.stderr.on('data', (part: Buffer) => parts.push(part.toString()))
  const peaks: Record<string, number> = {}
  const timer = setInterval(() => {
    void residentOfTree(child.pid!).then((found) => {
      for (const [kind, mb] of Object.entries(found)) peaks[kind] = Math.max(peaks[kind] ?? 0, Math.round(mb))
    })
  }, 1000)
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail)
    child.on('close', done)
  })
  clearInterval(timer)
  return { code, wallS: (performance.now() - started) / 1000, peaks, output: parts.join('') }
}
