// The same protocol as `providers/kit/process-life.ts`, which is not imported: nothing in `main` imports a provider, and `contract`, the only folder
// below both, has no Node code.

/** The channel of a child of Electron's `utilityProcess`; plain Node has none. Electron itself ends the child when its host dies. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: { data: unknown }) => void): void
}

const parentPort = (): ParentPort | null => (process as { parentPort?: ParentPort }).parentPort ?? null

/** Notifies the host that the engine works: a message where there is a channel, else a JSON line on stdout. */
export function announceReady(url: string): void {
  const message = { type: 'ready', url, port: Number(new URL(url).port) }
  const port = parentPort()
  if (port !== null) port.postMessage(message)
  else if (process.send !== undefined) process.send(message)
  else process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** Stops once and exits when the host asks (SIGTERM, or `{ type: 'stop' }` from a desktop host) or is gone: no client can reach an engine without its host. */
export function exitWithHost(stop: () => Promise<void>, report: (error: unknown) => void, graceMs = 15_000): void {
  let isLeaving = false
  const leave = (): void => {
    if (isLeaving) return
    isLeaving = true
    setTimeout(() => {
      report(new Error(`stopping took longer than ${graceMs} ms`))
      process.exit(1)
    }, graceMs).unref()
    stop().then(
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
    if ((data as { type?: unknown } | null)?.type === 'stop') leave()
  })
  // Ctrl-C reaches the whole group; it is the host that decides, where there is one.
  if (port === null && process.send === undefined) process.once('SIGINT', leave)
  else process.on('SIGINT', () => undefined)
  if (process.send === undefined) return
  process.once('disconnect', leave)
  // The channel may have closed before anyone listened.
  if (!process.connected) leave()
}
