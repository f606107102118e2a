// A process that a host started announces itself and ends by this protocol, which the engine and every service keep. Host and child need it, and
// neither side may import the other, so it is here; this folder has no Node types, so the process is passed in.

/** The channel of a child of Electron's `utilityProcess`. */
interface MessagePort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/** The part of Node's `process` that the protocol uses. */
interface HostedProcess {
  /** With plain Node as host: sends over the channel of `fork`. Undefined for a process that was started by hand. */
  send?: ((message: unknown) => boolean) | undefined
  readonly connected: boolean
  readonly stdout: { write(text: string): unknown }
  exit(code: number): never
  once(event: 'SIGTERM' | 'SIGINT' | 'disconnect', listener: () => void): unknown
  on(event: 'SIGINT', listener: () => void): unknown
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

declare function setTimeout(run: () => void, ms: number): { unref(): unknown }

/** Sent once the process works. */
interface ReadyMessage {
  type: 'ready'
  port: number
  url: string
}

const portOf = (self: HostedProcess): MessagePort | null => (self as { parentPort?: MessagePort }).parentPort ?? null

const isStop = (data: unknown): boolean => (data as { type?: unknown } | null)?.type === 'stop'

/** Reports that the process works: a message to the host where there is a channel, else a JSON line on stdout. */
export function announceReady(self: HostedProcess, { port, url }: { port: number; url: string }): void {
  const message: ReadyMessage = { type: 'ready', port, url }
  const channel = portOf(self)
  if (channel !== null) channel.postMessage(message)
  else if (self.send !== undefined) self.send(message)
  else self.stdout.write(`${JSON.stringify(message)}\n`)
}

/**
 * Stops once and exits when the host asks (SIGTERM, or the message `{ type: 'stop' }` of a desktop host) or has ended (its channel closed), so
 * that no child outlives its host. Exits with 1 when stopping fails or takes longer than `graceMs`.
 */
export function exitWithHost(
  self: HostedProcess,
  stop: () => Promise<void>,
  report: (error: unknown) => void,
  graceMs: number,
): void {
  let isLeaving = false
  const leave = (): void => {
    if (isLeaving) return
    isLeaving = true
    setTimeout(() => {
      report(new Error(`stopping took longer than ${graceMs} ms`))
      self.exit(1)
    }, graceMs).unref()
    stop().then(
      () => self.exit(0),
      (error: unknown) => {
        report(error)
        self.exit(1)
      },
    )
  }
  self.once('SIGTERM', leave)
  const channel = portOf(self)
  channel?.on('message', ({ data }) => {
    if (isStop(data)) leave()
  })
  // Ctrl-C reaches the whole process group; a host, if there is one, decides.
  if (channel === null && self.send === undefined) self.once('SIGINT', leave)
  else self.on('SIGINT', () => undefined)
  if (self.send === undefined) return
  self.once('disconnect', leave)
  // The channel may have closed before anyone listened.
  if (!self.connected) leave()
}

/** Errors that nothing caught end the process with 1: a process in an unknown state must be restarted, not trusted. */
export function exitOnUnhandledErrors(self: HostedProcess, report: (error: unknown) => void): void {
  const fail = (error: unknown): void => {
    report(error)
    self.exit(1)
  }
  self.on('uncaughtException', fail)
  self.on('unhandledRejection', fail)
}
