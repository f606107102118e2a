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

/** How an engine starts the platform, and the services beside it. */
export interface EngineLaunchers {
  platform: ProcessLauncher
  services: ProcessLauncher
}

/**
 * Children by this process itself; in the packaged app, where it may start none, by its host. An engine in a Node of its own starts the platform
 * there too, because both need the same native parts, and leaves the services to a host that offers to start them.
 */
export function launchersOfEngine(): EngineLaunchers {
  if (isHosted()) {
    const launcher = byHost()
    return { platform: launcher, services: launcher }
  }
  const isLent = process.env[HOST_LAUNCHES_VARIABLE] === '1'
  // Its own children have no such host.
  Reflect.deleteProperty(process.env, HOST_LAUNCHES_VARIABLE)
  const own = createNodeLauncher()
  return { platform: own, services: isLent ? byHost() : own }
}
