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
let reported = 0
try {
  if (isOffline) throw new DownloadError('offline', 'HF_HUB_OFFLINE or RAG_LADDER_OFFLINE forbids downloads: unset it')
  await downloadFile({
    url: onHub(url, hub),
    target,
    sizeBytes,
    sha256,
    signal: stop.signal,
    onBytes(received) {
      const now = performance.now()
      if (now - reported < PROGRESS_MS && received < sizeBytes) return
      reported = now
      process.send?.({ received })
    },
  })
  process.send?.({ done: true })
} catch (error) {
  const known = error instanceof DownloadError || (error as NodeJS.ErrnoException).syscall !== undefined
  if (!known && !stop.signal.aborted) throw error
  process.send?.({ failed: (error as Error).message })
}
