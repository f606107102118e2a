import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withoutCredentials } from '../../../core/credential-names.ts'
import { WorkEvent } from '../../../contract/work-process.ts'
import type { WorkRequest } from '../../../contract/work-process.ts'
import { parentPort } from '../parent-port.ts'
import type { HostedPort, ParentPort } from '../parent-port.ts'
import { killGroup, readProgramMessage } from './programs.ts'

/** A process ended in this way: with its exit code, or by a signal. Both null where it could not be started. */
export interface WorkEnd {
  code: number | null
  signal: string | null
}

/** A process for work that may hang, crash or read hostile bytes. Messages may hold typed arrays. */
export interface WorkProcess {
  readonly isAlive: boolean
  /** A process whose channel is closed is ended. */
  send(message: object): void
  /** Both return a function that removes the listener. */
  onMessage(listener: (message: unknown) => void): () => void
  /** Also called for an end in the past. */
  onEnd(listener: (end: WorkEnd) => void): () => void
  /** Ends it at once, with the programs that it started. */
  kill(): void
  /** From now on it keeps this process alive, which a new one does not; `release` reverts that. */
  hold(): void
  release(): void
}

export interface WorkOptions {
  /** The module listens by `process.on('message')`, answers by `process.send` and ends on `disconnect`. */
  entry: URL
  args?: readonly string[]
  /** Most that its JavaScript may hold, in MiB; a process of Electron's has that program's own limit. */
  heapMib?: number
  /** It starts programs, which must end with it. */
  startsPrograms?: boolean
  /** Receives what it prints; absent: its errors go to this process's stderr. */
  onPrint?: (text: string) => void
}

/** Starts a module in a process of its own, which gets no credential: by `fork` in plain Node, in the packaged app by its host. */
export function startWork(options: WorkOptions): WorkProcess {
  const port = parentPort()
  return port === null ? forkWork(options) : hostedWork(port, options)
}

/** An end as text for errors. */
export const describeEnd = ({ code, signal }: WorkEnd): string =>
  signal ?? (code === null ? 'no start' : `exit code ${code}`)

/** Listeners for the end of a process; one added after the end is called too. */
class EndListeners {
  readonly #listeners = new Set<(end: WorkEnd) => void>()
  #end: WorkEnd | null = null

  get isOver(): boolean {
    return this.#end !== null
  }

  add(listener: (end: WorkEnd) => void): () => void {
    this.#listeners.add(listener)
    const end = this.#end
    if (end !== null)
      queueMicrotask(() => {
        if (this.#listeners.delete(listener)) listener(end)
      })
    return () => void this.#listeners.delete(listener)
  }

  /** Only the first end counts. */
  emit(end: WorkEnd): void {
    if (this.#end !== null) return
    this.#end = end
    for (const listener of this.#listeners) listener(end)
    this.#listeners.clear()
  }
}

/** A working process as a child of this one. */
function forkWork({ entry, args = [], heapMib, startsPrograms = false, onPrint }: WorkOptions): WorkProcess {
  // Killing a group also ends what it started; one without programs stays in the service's, which its host may kill as a whole.
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
    ends.emit({ code, signal })
  })
  child.on('error', () => {
    if (pid === undefined) ends.emit({ code: null, signal: null })
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

/** Signals by their number, as the host reports an end by signal; the services use no such exit code. */
const SIGNALS: Readonly<Record<number, string>> = { 6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' }

const endOf = (code: number | null): WorkEnd => {
  const signal = process.platform === 'win32' || code === null ? undefined : SIGNALS[code]
  return signal === undefined ? { code, signal: null } : { code: null, signal }
}

interface Started {
  connect(port: HostedPort): void
  printed(text: string): void
  ended(code: number | null): void
}

const started = new Map<number, Started>()
let newest = 0
let isListening = false

function listenTo(parent: ParentPort): void {
  if (isListening) return
  isListening = true
  parent.on('message', ({ data, ports }) => {
    const { success, data: event } = WorkEvent.safeParse(data)
    const work = success ? started.get(event.id) : undefined
    if (!success || work === undefined) return
    if (event.type === 'work.port') work.connect(ports[0]!)
    else if (event.type === 'work.printed') work.printed(event.text)
    else {
      started.delete(event.id)
      work.ended(event.code)
    }
  })
}

/** A working process that the host starts, for a service that may start none. It ends with the service. */
function hostedWork(parent: ParentPort, { entry, args = [], onPrint }: WorkOptions): WorkProcess {
  listenTo(parent)
  const id = (newest += 1)
  const send = (request: WorkRequest): void => parent.postMessage(request)
  const ends = new EndListeners()
  const listeners = new Set<(message: unknown) => void>()
  const programs = new Set<number>()
  const unsent: object[] = []
  let port: HostedPort | null = null
  const killPrograms = (): void => programs.forEach(killGroup)
  started.set(id, {
    connect(connected) {
      port = connected
      port.on('message', ({ data }) => {
        const program = readProgramMessage(data)
        if (program === null) for (const listener of listeners) listener(data)
        else if (program.isRunning) programs.add(program.pid)
        else programs.delete(program.pid)
      })
      port.start()
      for (const message of unsent.splice(0)) port.postMessage(message)
    },
    printed: onPrint ?? ((text) => void process.stderr.write(text)),
    ended(code) {
      killPrograms()
      ends.emit(endOf(code))
    },
  })
  send({ type: 'work.start', id, entry: fileURLToPath(entry), args: [...args], env: withoutCredentials(process.env) })
  return {
    get isAlive() {
      return !ends.isOver
    },
    send(message) {
      if (port === null) unsent.push(message)
      else port.postMessage(message)
    },
    onMessage(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onEnd: (listener) => ends.add(listener),
    kill() {
      send({ type: 'work.kill', id })
      // A service that exits next gets no event about the end.
      killPrograms()
    },
    // The channel to the host keeps this process alive.
    hold: () => undefined,
    release: () => undefined,
  }
}
