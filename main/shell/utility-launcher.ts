import { createInterface } from 'node:readline'
import { MessageChannelMain, utilityProcess, type UtilityProcess } from 'electron'
import { withoutCredentials } from '../../core/credential-names.ts'
import { WorkRequest, type WorkEvent } from '../../contract/work-process.ts'
import { serveLaunches } from '../supervisor/host-launcher.ts'
import { quietly } from '../supervisor/node-launcher.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from '../supervisor/process-launcher.ts'

/** Names the module that a utility process runs; read by its bootstrap. */
const CHILD_ENTRY_VARIABLE = 'RAG_LADDER_CHILD_ENTRY'
/** `port`: the process communicates through the port that it receives, not with its host. */
const CHILD_CHANNEL_VARIABLE = 'RAG_LADDER_CHILD_CHANNEL'

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
 * them the channel of a forked Node child, then runs the real entry. Such a child requests its own children from this process.
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

/** Kills a process that may not have started yet, or has ended. */
function kill(work: UtilityProcess): void {
  if (work.pid === undefined) work.once('spawn', () => kill(work))
  else quietly(() => process.kill(work.pid!, 'SIGKILL'))
}

function startOne(bootstrap: string, request: Extract<WorkRequest, { type: 'work.start' }>, service: UtilityProcess) {
  const work = utilityProcess.fork(bootstrap, request.args, {
    env: { ...request.env, [CHILD_ENTRY_VARIABLE]: request.entry, [CHILD_CHANNEL_VARIABLE]: 'port' },
    stdio: 'pipe',
    serviceName: 'RAG Ladder work',
  })
  const emit = (event: WorkEvent, ports: Electron.MessagePortMain[] = []): void => service.postMessage(event, ports)
  for (const output of [work.stdout, work.stderr])
    output?.on('data', (text: Buffer) => emit({ type: 'work.printed', id: request.id, text: text.toString('utf8') }))
  // Bytes of documents and audio pass directly between the two, not through this process.
  const { port1, port2 } = new MessageChannelMain()
  work.postMessage(null, [port1])
  emit({ type: 'work.port', id: request.id }, [port2])
  return work
}

/**
 * Starts the work processes that a service requests, and ends them with it. They cannot request any themselves: a process that reads hostile
 * bytes starts none.
 */
function serveWork(service: UtilityProcess, bootstrap: string): void {
  const workById = new Map<number, UtilityProcess>()
  let isGone = false
  service.on('message', (message: unknown) => {
    const { success, data: request } = WorkRequest.safeParse(message)
    if (!success || isGone) return
    if (request.type === 'work.kill') {
      const work = workById.get(request.id)
      if (work !== undefined) kill(work)
      return
    }
    const work = startOne(bootstrap, request, service)
    workById.set(request.id, work)
    work.once('exit', (code) => {
      workById.delete(request.id)
      if (!isGone) service.postMessage({ type: 'work.ended', id: request.id, code } satisfies WorkEvent)
    })
  })
  service.once('exit', () => {
    isGone = true
    for (const work of workById.values()) kill(work)
  })
}
