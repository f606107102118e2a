import { ConversionError } from '../model/conversion-error.ts'
import { handleRequest } from './handle-request.ts'
import { OUT_OF_MEMORY_EXIT, type ConversionRequest, type WorkerAnswer } from './protocol.ts'

/** Entry of a converting process, which reads untrusted bytes: one request at a time. Its parent kills it when a request takes too long; it exits by itself when its memory grows too large. */
const limitBytes = Number(process.argv[2])

setInterval(() => {
  if (process.memoryUsage.rss() > limitBytes) process.exit(OUT_OF_MEMORY_EXIT)
}, 100).unref()

process.on('message', (request: ConversionRequest) => {
  void handleRequest(request)
    .then(
      (outcome): WorkerAnswer => ({ ok: true, outcome }),
      (error: unknown): WorkerAnswer =>
        error instanceof ConversionError
          ? { ok: false, code: error.code, message: error.message }
          : {
              ok: false,
              code: 'fault',
              message: error instanceof Error ? (error.stack ?? error.message) : String(error),
            },
    )
    .then((answer) => process.send!({ ...answer, rssBytes: process.memoryUsage.rss() }))
})
// The parent has ended, so the result has no recipient.
process.once('disconnect', () => process.exit(0))
