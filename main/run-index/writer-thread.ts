// Entry of the writing thread: keeps the index up with its folders.
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { IndexChange } from '../../contract/index.ts'
import { FolderWatch } from './folder-watch.ts'
import { IndexHost } from './index-host.ts'
import { failureOf, type ThreadMessage, type ThreadRequest, type ThreadSettings } from './thread-protocol.ts'

const { file, folders, named, pollMs } = workerData as ThreadSettings
const port = parentPort!
const host = new IndexHost(file, { folders, named })
let watching: FolderWatch | null = null
/** Told once, not at every poll. */
let lastFailure = ''

const tell = (message: ThreadMessage): void => port.postMessage(message)

async function sync(): Promise<IndexChange> {
  const change = await host.sync()
  lastFailure = ''
  if (change.runs.length + change.removed.length + change.damaged.length > 0) tell({ kind: 'changed', change })
  return change
}

async function syncUnasked(): Promise<void> {
  try {
    await sync()
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code === 'closed' || failure.message === lastFailure) return
    lastFailure = failure.message
    tell({ kind: 'failed', failure })
  }
}

function answer(method: string): Promise<unknown> {
  switch (method) {
    case 'open':
      return host.open()
    case 'sync':
      return sync()
    case 'verify':
      return host.verify()
    case 'reopen':
      return host.reopen()
    case 'recreate':
      return host.recreate()
    case 'watch':
      watching ??= new FolderWatch(
        [...folders, ...Object.values(named).map((path) => dirname(path))],
        pollMs,
        syncUnasked,
      )
      return Promise.resolve(null)
    case 'unwatch':
      watching?.close()
      watching = null
      return Promise.resolve(null)
    case 'close':
      watching?.close()
      return host.close()
    default:
      return Promise.reject(new Error(`no method ${method}`))
  }
}

port.on('message', ({ id, method }: ThreadRequest) => {
  void answer(method)
    .then(
      (value) => tell({ kind: 'answer', id, value }),
      (error: unknown) => tell({ kind: 'failure', id, failure: failureOf(error) }),
    )
    .finally(() => {
      if (method === 'close') port.close()
    })
})
