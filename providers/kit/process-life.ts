import { parentPort } from './parent-port.ts'

/** What a started service reports to its parent. */
export interface ReadyMessage {
  type: 'ready'
  port: number
  url: string
}

const isStop = (data: unknown): boolean => (data as { type?: unknown } | null)?.type === 'stop'

/** Reports that the service works: a message to the parent where there is a channel, one JSON line on stdout otherwise. */
export function announceReady(listening: { port: number; url: string }): void {
  const message: ReadyMessage = { type: 'ready', port: listening.port, url: listening.url }
  const port = parentPort()
  if (port !== null) port.postMessage(message)
  else if (process.send === undefined) process.stdout.write(`${JSON.stringify(message)}\n`)
  else process.send(message)
}

/**
 * Closes once and exits when the parent asks (SIGTERM, or the message `{ type: 'stop' }` of a desktop host) or is gone (its channel closed),
 * so that no service outlives its host.
 * Exits with 1 when closing fails or takes longer than `graceMs`.
 */
export function exitWhenParentGone(
  close: () => Promise<void>,
  report: (error: unknown) => void,
  graceMs = 10_000,
): void {
  let closing = false
  const leave = () => {
    if (closing) return
    closing = true
    setTimeout(() => {
      report(new Error(`closing took longer than ${graceMs} ms`))
      process.exit(1)
    }, graceMs).unref()
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        report(error)
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', leave)
  const port = parentPort()
  port?.on('message', ({ data }) => {
    if (isStop(data)) leave()
  })
  // Ctrl-C reaches the whole process group; under a host it is the host that decides when its services end.
  if (port === null && process.send === undefined) process.once('SIGINT', leave)
  else process.on('SIGINT', () => undefined)
  if (process.send === undefined) return
  process.once('disconnect', leave)
  // The channel may have closed before anyone listened.
  if (!process.connected) leave()
}

/** Errors that nothing caught end the process with 1: a service in an unknown state must be restarted, not trusted. */
export function exitOnUnhandledErrors(report: (error: unknown) => void): void {
  const fail = (error: unknown) => {
    report(error)
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}
