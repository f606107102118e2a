import { pathToFileURL } from 'node:url'

// Runs first in a utility process: gives it the channel that a forked Node child has, so that no service must know how it was started.
// Electron has no types for this side of the port.
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

const { parentPort } = process as unknown as { parentPort: ParentPort }
const entry = process.env['RAG_LADDER_CHILD_ENTRY']
if (entry === undefined) throw new Error('RAG_LADDER_CHILD_ENTRY: the module to run is required')
Reflect.deleteProperty(process.env, 'RAG_LADDER_CHILD_ENTRY')

Object.assign(process, {
  connected: true,
  send(message: unknown) {
    parentPort.postMessage(message)
    return true
  },
})
parentPort.on('message', ({ data }) => {
  if ((data as { type?: unknown } | null)?.type !== 'disconnect') {
    process.emit('message', data, undefined)
    return
  }
  process.connected = false
  process.emit('disconnect')
})
await import(pathToFileURL(entry).href)
