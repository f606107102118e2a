import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'

export interface MeasuredProcess {
  wallS: number
  /** Highest resident memory in MB; null where the system does not report it. */
  peakMb: number | null
  /** Resident memory every 100 ms, with the moment in milliseconds. */
  resident: { atMs: number; mb: number }[]
  code: number | null
  output: string
}

async function statusOf(pid: number): Promise<{ peak: number; resident: number } | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const value = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN)
  const peak = value('VmHWM')
  return Number.isNaN(peak) ? null : { peak: peak / 1024, resident: value('VmRSS') / 1024 }
}

/** Runs a command as a whole process: from before its start to after its end, memory as the system counts it. */
export async function measureProcess(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  /** Gets each whole line of standard output, with the moment it arrived in milliseconds, and how to end the process by force. */
  onLine: (line: string, atMs: number, end: () => void) => void = () => undefined,
): Promise<MeasuredProcess> {
  const started = performance.now()
  const child = spawn(command, args, {
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: string[] = []
  let unfinished = ''
  child.stdout.on('data', (part: Buffer) => {
    const atMs = performance.now()
    parts.push(part.toString())
    const lines = (unfinished + part.toString()).split('\n')
    unfinished = lines.pop()!
    for (const line of lines) onLine(line, atMs, () => void child.kill('SIGKILL'))
  })
  child.stderr.on('data', (part: Buffer) => parts.push(part.toString()))
  let peakMb: number | null = null
  const resident: MeasuredProcess['resident'] = []
  let ticks = 0
  const timer = setInterval(() => {
    void statusOf(child.pid!).then((status) => {
      if (status === null) return
      peakMb = Math.max(peakMb ?? 0, status.peak)
      if (ticks % 5 === 0) resident.push({ atMs: performance.now(), mb: status.resident })
      ticks += 1
    })
  }, 20)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  clearInterval(timer)
  return { wallS: (performance.now() - started) / 1000, peakMb, resident, code, output: parts.join('') }
}
