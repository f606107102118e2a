import { ConversionError } from '../model/conversion-error.ts'
import { OUT_OF_MEMORY_EXIT } from './protocol.ts'
import type { ConversionOrder, WorkerAnswer } from './protocol.ts'
import { runOrder } from './run-order.ts'

/** The process that reads hostile bytes: one order at a time, killed by its parent when it takes too long, ended by itself when it grows too large. */
const limitBytes = Number(process.argv[2])

setInterval(() => {
  if (process.memoryUsage.rss() > limitBytes) process.exit(OUT_OF_MEMORY_EXIT)
}, 100).unref()

process.on('message', (order: ConversionOrder) => {
  void runOrder(order)
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
// The parent is gone: nobody wants the result.
process.once('disconnect', () => process.exit(0))
