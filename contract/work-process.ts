import { z } from 'zod'

// A service that must not start processes requests one from its host, over its own channel. Service and process then exchange messages over a
// port that the host passes to both.

const id = z.int().min(1)

/** From the service: start a module for work of its own, or end what was started. */
export const WorkRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('work.start'),
    id,
    entry: z.string().min(1),
    args: z.array(z.string()),
    /** The whole environment: nothing is added to it. */
    env: z.record(z.string(), z.string()),
  }),
  z.strictObject({ type: z.literal('work.kill'), id }),
])
export type WorkRequest = z.infer<typeof WorkRequest>

/** To the service. `work.port` carries its end of the port; `code` is the exit code or, where a signal ended it, that signal's number. */
export const WorkEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('work.port'), id }),
  z.strictObject({ type: z.literal('work.printed'), id, text: z.string() }),
  z.strictObject({ type: z.literal('work.ended'), id, code: z.int().nullable() }),
])
export type WorkEvent = z.infer<typeof WorkEvent>
