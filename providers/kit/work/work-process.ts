import { parentPort } from '../parent-port.ts'
import { forkWork } from './forked-work.ts'
import { hostedWork } from './hosted-work.ts'

/** How a process ended: with its exit code, or by a signal. Both null where it could not be started. */
export interface WorkEnd {
  code: number | null
  signal: string | null
}

/** A process for work that may hang, crash or read hostile bytes. Messages may hold typed arrays. */
export interface WorkProcess {
  readonly isAlive: boolean
  /** A process that cannot be reached any more is ended. */
  send(message: object): void
  /** Both give back what ends the listening. */
  onMessage(listener: (message: unknown) => void): () => void
  /** Told of an end in the past too. */
  onEnd(listener: (end: WorkEnd) => void): () => void
  /** Ends it at once, with the programs that it started. */
  kill(): void
  /** From now on it keeps this process alive, which a new one does not; `release` takes that back. */
  hold(): void
  release(): void
}

export interface WorkOptions {
  /** The module hears `process.on('message')`, answers by `process.send` and ends on `disconnect`. */
  entry: URL
  args?: readonly string[]
  /** Most that its JavaScript may hold, in MiB; a process of Electron's has that program's own limit. */
  heapMib?: number
  /** It starts programs, which must end with it. */
  startsPrograms?: boolean
  /** What it prints; absent: its errors go to this process's. */
  onPrint?: (text: string) => void
}

/** Starts a module in a process of its own, which gets no credential: by `fork` in plain Node, in the packaged app by its host. */
export function startWork(options: WorkOptions): WorkProcess {
  const port = parentPort()
  return port === null ? forkWork(options) : hostedWork(port, options)
}

/** What a caller is told of an end. */
export const describeEnd = ({ code, signal }: WorkEnd): string =>
  signal ?? (code === null ? 'no start' : `exit code ${code}`)
