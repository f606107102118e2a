import { MessageChannelMain, utilityProcess, type UtilityProcess } from 'electron'
import { WorkRequest, type WorkEvent } from '../../contract/work-process.ts'
import { quietly } from '../supervisor/node-launcher.ts'
import { CHILD_CHANNEL_VARIABLE, CHILD_ENTRY_VARIABLE } from './child-variables.ts'

/** Kills a process that may not be there yet, or not any more. */
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
  // Bytes of documents and sound go from one to the other without passing through this process.
  const { port1, port2 } = new MessageChannelMain()
  work.postMessage(null, [port1])
  emit({ type: 'work.port', id: request.id }, [port2])
  return work
}

/**
 * Starts the processes that a service wants for work of its own, and ends them with it. They can ask for nothing themselves: what reads hostile
 * bytes starts no processes.
 */
export function serveWork(service: UtilityProcess, bootstrap: string): void {
  const under = new Map<number, UtilityProcess>()
  let isGone = false
  service.on('message', (message: unknown) => {
    const { success, data: request } = WorkRequest.safeParse(message)
    if (!success || isGone) return
    if (request.type === 'work.kill') {
      const work = under.get(request.id)
      if (work !== undefined) kill(work)
      return
    }
    const work = startOne(bootstrap, request, service)
    under.set(request.id, work)
    work.once('exit', (code) => {
      under.delete(request.id)
      if (!isGone) service.postMessage({ type: 'work.ended', id: request.id, code } satisfies WorkEvent)
    })
  })
  service.once('exit', () => {
    isGone = true
    for (const work of under.values()) kill(work)
  })
}
