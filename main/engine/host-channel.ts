// The channel between an engine and its host: the engine reports that it is ready, stops when the host asks or has ended, and lets the host
// start children for it. The protocol is that of `providers/kit/process-life.ts`, which is not imported: nothing in `main` imports a provider,
// and `contract`, the only folder below both, has no Node code.
import { createHostLauncher } from '../supervisor/host-launcher.ts'
import { createNodeLauncher, HOST_LAUNCHES_VARIABLE } from '../supervisor/node-launcher.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'

/** The channel of a child of Electron's `utilityProcess`; plain Node has none. Electron itself ends the child when its host ends. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: { data: unknown }) => void): void
}

const parentPort = (): ParentPort | null => (process as { parentPort?: ParentPort }).parentPort ?? null

/** Reports to the host that the engine works: a message where there is a channel, else a JSON line on stdout. */
export function announceReady(url: string): void {
  const message = { type: 'ready', url, port: Number(new URL(url).port) }
  const port = parentPort()
  if (port !== null) port.postMessage(message)
  else if (process.send !== undefined) process.send(message)
  else process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** Stops once and exits when the host asks (SIGTERM, or `{ type: 'stop' }` from a desktop host) or has ended: no client can reach an engine without its host. */
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
  // Ctrl-C reaches the whole process group; a host, if there is one, decides.
  if (port === null && process.send === undefined) process.once('SIGINT', leave)
  else process.on('SIGINT', () => undefined)
  if (process.send === undefined) return
  process.once('disconnect', leave)
  // The channel may have closed before anyone listened.
  if (!process.connected) leave()
}

const byHost = (): ProcessLauncher =>
  createHostLauncher({
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.once('disconnect', listener),
  })

const isHosted = (): boolean => 'parentPort' in process

/** How an engine starts the platform, and the services beside it. */
interface EngineLaunchers {
  platform: ProcessLauncher
  services: ProcessLauncher
}

/**
 * Children are started by this process; in the packaged app, where it may start none, by its host. An engine that runs in a separate Node starts
 * the platform itself, because both need the same native modules, and leaves the services to a host that offers to start them.
 */
export function launchersOfEngine(): EngineLaunchers {
  if (isHosted()) {
    const launcher = byHost()
    return { platform: launcher, services: launcher }
  }
  const hostLaunches = process.env[HOST_LAUNCHES_VARIABLE] === '1'
  // The children of this process have no such host.
  Reflect.deleteProperty(process.env, HOST_LAUNCHES_VARIABLE)
  const own = createNodeLauncher()
  return { platform: own, services: hostLaunches ? byHost() : own }
}
