import { hash } from 'node:crypto'
import { cpus, hostname, totalmem } from 'node:os'

let digest: string | null = null

/** Stands for this machine without naming it: times of another one say nothing of what a run takes here. */
export function thisMachine(): string {
  const [processor] = cpus()
  const parts = { cores: cpus().length, host: hostname(), memory: totalmem(), processor: processor?.model ?? '' }
  digest ??= hash('sha256', JSON.stringify(parts)).slice(0, 16)
  return digest
}
