// Who starts the engine's children: this process, or its host where it may start none or leaves it to a desktop host.
import { createHostLauncher } from '../supervisor/host-launcher.ts'
import { createNodeLauncher, HOST_LAUNCHES_VARIABLE } from '../supervisor/node-launcher.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'

const byHost = (): ProcessLauncher =>
  createHostLauncher({
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.once('disconnect', listener),
  })

const isHosted = (): boolean => 'parentPort' in process

/** Describes how an engine starts the platform, and the services beside it. */
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
