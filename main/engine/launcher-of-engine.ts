import { createHostLauncher } from '../supervisor/host-launcher.ts'
import { createNodeLauncher } from '../supervisor/node-launcher.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'

/** Children by this process itself; in the packaged app, where it may start none, by its host. */
export function launcherOfEngine(): ProcessLauncher {
  if (!('parentPort' in process)) return createNodeLauncher()
  return createHostLauncher({
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.once('disconnect', listener),
  })
}
