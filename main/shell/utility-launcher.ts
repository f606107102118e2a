import { utilityProcess, type UtilityProcess } from 'electron'
import { createInterface } from 'node:readline'
import { withoutCredentials } from '../../contract/credential-names.ts'
import { serveLaunches } from '../supervisor/host-launcher.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from '../supervisor/process-launcher.ts'
import { CHILD_ENTRY_VARIABLE } from './child-variables.ts'
import { serveWork } from './utility-work.ts'

const asText = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined))

function asLaunched(child: UtilityProcess): LaunchedProcess {
  let isGone = false
  child.once('exit', () => (isGone = true))
  return {
    get pid() {
      return child.pid ?? null
    },
    onMessage: (listener) => void child.on('message', listener),
    onLine(listener) {
      for (const output of [child.stdout, child.stderr])
        if (output !== null) createInterface({ input: output }).on('line', listener)
    },
    onExit: (listener) => void child.once('exit', (code) => listener(code, null)),
    requestStop() {
      if (!isGone) child.postMessage({ type: 'disconnect' })
    },
    signalGroup(signal) {
      if (isGone || child.pid === undefined) return
      // Its own children are children of this process, and asked to end when its channel closes.
      if (signal === 'SIGTERM') child.kill()
      else process.kill(child.pid, 'SIGKILL')
    },
  }
}

/**
 * Children by `utilityProcess.fork`, which needs no Node beside the app and no fuse that would let others run scripts with it; `bootstrap` gives
 * them the channel of a forked Node child, then runs the real entry. What such a child wants to start itself, it asks of this process.
 */
export function createUtilityLauncher(bootstrap: string): ProcessLauncher {
  const launcher: ProcessLauncher = {
    launch({ entry, env, withoutCredentials: isPlain = false }: LaunchSpec) {
      const child = utilityProcess.fork(bootstrap, [], {
        env: {
          ...(isPlain ? withoutCredentials(process.env) : asText(process.env)),
          ...env,
          [CHILD_ENTRY_VARIABLE]: entry,
        },
        stdio: 'pipe',
        serviceName: 'RAG Ladder service',
      })
      const launched = asLaunched(child)
      serveLaunches(launcher, {
        onMessage: (listener) => launched.onMessage(listener),
        onClose: (listener) => launched.onExit(listener),
        send: (message) => child.postMessage(message),
      })
      serveWork(child, bootstrap)
      return launched
    },
  }
  return launcher
}
