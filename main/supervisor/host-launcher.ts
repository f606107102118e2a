import { messageOf } from '../../core/json.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from './process-launcher.ts'

/** One end of the channel between a child that may not start processes and the host that does it for it. */
export interface LaunchChannel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

/** From the child. */
type LaunchRequest =
  | { type: 'child.launch'; id: number; entry: string; env: Record<string, string>; withoutCredentials: boolean }
  | { type: 'child.stop'; id: number }
  | { type: 'child.signal'; id: number; signal: 'SIGTERM' | 'SIGKILL' }

/** From the host. A child that prints something has started, and so has a process id by then. */
type LaunchEvent =
  | { type: 'child.message'; id: number; pid: number | null; message: unknown }
  | { type: 'child.line'; id: number; pid: number | null; line: string }
  | { type: 'child.exited'; id: number; code: number | null; signal: string | null }

const isOf = <Message extends LaunchRequest | LaunchEvent>(
  value: unknown,
  names: readonly Message['type'][],
): value is Message =>
  typeof value === 'object' && value !== null && names.includes((value as { type?: Message['type'] }).type!)

/** A launcher whose children are started and watched by the host at the other end. When the host ends, they have ended too. */
export function createHostLauncher(channel: LaunchChannel): ProcessLauncher {
  const children = new Map<number, (event: LaunchEvent) => void>()
  let newest = 0
  channel.onMessage((message) => {
    if (isOf<LaunchEvent>(message, ['child.message', 'child.line', 'child.exited'])) children.get(message.id)?.(message)
  })
  return {
    launch({ entry, env, withoutCredentials = false }: LaunchSpec): LaunchedProcess {
      const id = (newest += 1)
      const messages: ((message: unknown) => void)[] = []
      const lines: ((line: string) => void)[] = []
      const exits: ((code: number | null, signal: string | null) => void)[] = []
      let pid: number | null = null
      children.set(id, (event) => {
        if (event.type !== 'child.exited') pid = event.pid
        if (event.type === 'child.message') for (const listener of messages) listener(event.message)
        else if (event.type === 'child.line') for (const listener of lines) listener(event.line)
        else {
          children.delete(id)
          for (const listener of exits) listener(event.code, event.signal)
        }
      })
      const send = (request: LaunchRequest): void => channel.send(request)
      send({ type: 'child.launch', id, entry, env, withoutCredentials })
      return {
        get pid() {
          return pid
        },
        onMessage: (listener) => void messages.push(listener),
        onLine: (listener) => void lines.push(listener),
        onExit: (listener) => void exits.push(listener),
        requestStop: () => {
          if (children.has(id)) send({ type: 'child.stop', id })
        },
        signalGroup: (signal) => {
          if (children.has(id)) send({ type: 'child.signal', id, signal })
        },
      }
    },
  }
}

/** Starts what the child at the other end asks for, and ends it with that child. */
export function serveLaunches(launcher: ProcessLauncher, channel: LaunchChannel): void {
  const children = new Map<number, LaunchedProcess>()
  const emit = (event: LaunchEvent): void => {
    if (!isClosed) channel.send(event)
  }
  let isClosed = false
  const launch = ({ id, entry, env, withoutCredentials }: Extract<LaunchRequest, { type: 'child.launch' }>): void => {
    let child: LaunchedProcess
    try {
      child = launcher.launch({ entry, env, withoutCredentials })
    } catch (error) {
      emit({ type: 'child.line', id, pid: null, line: messageOf(error) })
      emit({ type: 'child.exited', id, code: null, signal: null })
      return
    }
    children.set(id, child)
    child.onMessage((message) => emit({ type: 'child.message', id, pid: child.pid, message }))
    child.onLine((line) => emit({ type: 'child.line', id, pid: child.pid, line }))
    child.onExit((code, signal) => {
      children.delete(id)
      emit({ type: 'child.exited', id, code, signal })
    })
  }
  channel.onMessage((request) => {
    if (!isOf<LaunchRequest>(request, ['child.launch', 'child.stop', 'child.signal'])) return
    if (request.type === 'child.launch') launch(request)
    else if (request.type === 'child.stop') children.get(request.id)?.requestStop()
    else children.get(request.id)?.signalGroup(request.signal)
  })
  channel.onClose(() => {
    isClosed = true
    for (const child of children.values()) child.signalGroup('SIGKILL')
  })
}
