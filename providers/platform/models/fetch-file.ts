// Downloads one file of the model catalogue, in a process of its own: it finds the request in its environment, sends its progress and how it
// ended, and stops when the channel closes. What has arrived stays beside the target, and the next try continues it.
import process from 'node:process'
import { z } from 'zod'
import { modelStoreSettings } from '../../kit/models/cache-folder.ts'
import { onHub } from '../../kit/models/declared-model.ts'
import { downloadFile, DownloadError } from '../../kit/models/download-file.ts'

/** Holds the request as JSON. */
const REQUEST_VARIABLE = 'RAG_LADDER_FETCH_FILE'
const Request = z.strictObject({
  url: z.string(),
  target: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
})
const PROGRESS_MS = 250

const stop = new AbortController()
process.on('disconnect', () => stop.abort())
const { url, target, size_bytes: sizeBytes, sha256 } = Request.parse(JSON.parse(process.env[REQUEST_VARIABLE] ?? '{}'))
const { hub, isOffline } = modelStoreSettings(process.env)

/** Without a network, the file can still be brought here by hand. */
function messageOf(error: Error): string {
  if (isOffline || !(error instanceof DownloadError) || error.code !== 'offline') return error.message
  const { host } = new URL(onHub(url, hub))
  return `no connection to ${host}: ${error.message}. Check the network and its proxy, name a mirror by HF_ENDPOINT, or download the file elsewhere and put it at ${target}`
}

let latest = 0
let report: NodeJS.Timeout | undefined
try {
  if (isOffline) throw new DownloadError('offline', 'HF_HUB_OFFLINE or RAG_LADDER_OFFLINE forbids downloads: unset it')
  await downloadFile({
    url: onHub(url, hub),
    target,
    sizeBytes,
    sha256,
    signal: stop.signal,
    onBytes(received) {
      latest = received
      // The last piece is reported too, also when nothing follows for a while.
      report ??= setTimeout(() => {
        report = undefined
        process.send?.({ received: latest })
      }, PROGRESS_MS)
    },
  })
  process.send?.({ done: true })
} catch (error) {
  const known = error instanceof DownloadError || (error as NodeJS.ErrnoException).syscall !== undefined
  if (!known && !stop.signal.aborted) throw error
  process.send?.({ failed: messageOf(error as Error) })
} finally {
  clearTimeout(report)
}
