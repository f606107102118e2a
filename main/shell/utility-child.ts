import { pathToFileURL } from 'node:url'

// Runs first in a utility process: gives it the channel that a forked Node child has, so that no module must know how it was started.
// Electron has no types for this side of its ports.
interface Port {
  postMessage(message: unknown): void
}
interface WorkPort extends Port {
  on(event: 'message' | 'close', listener: (event: { data: unknown }) => void): void
  start(): void
}
type OnMessage = (event: 'message', listener: (event: { data: unknown; ports: WorkPort[] }) => void) => void
interface ParentPort extends Port {
  on: OnMessage
  once: OnMessage
}

const { parentPort } = process as unknown as { parentPort: ParentPort }

function take(name: string): string | undefined {
  const value = process.env[name]
  Reflect.deleteProperty(process.env, name)
  return value
}

const entry = take('RAG_LADDER_CHILD_ENTRY')
if (entry === undefined) throw new Error('RAG_LADDER_CHILD_ENTRY: the module to run is required')
const isWork = take('RAG_LADDER_CHILD_CHANNEL') === 'port'

function leave(): void {
  process.connected = false
  process.emit('disconnect')
}

/** Lets modules speak over this port as over a forked child's channel. */
function talkBy(port: Port): void {
  Object.assign(process, {
    connected: true,
    send(message: unknown) {
      port.postMessage(message)
      return true
    },
  })
}

if (isWork) {
  // The service that wants the work done is at the other end of the port that comes first.
  const port = await new Promise<WorkPort>((resolve) => parentPort.once('message', ({ ports }) => resolve(ports[0]!)))
  talkBy(port)
  port.on('message', ({ data }) => process.emit('message', data, undefined))
  port.on('close', leave)
  await import(pathToFileURL(entry).href)
  port.start()
} else {
  talkBy(parentPort)
  parentPort.on('message', ({ data }) => {
    if ((data as { type?: unknown } | null)?.type === 'disconnect') leave()
    else process.emit('message', data, undefined)
  })
  await import(pathToFileURL(entry).href)
}
