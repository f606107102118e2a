import { z } from 'zod'

// A service that may start no process asks its host for one, over its own channel; what the two then say to each other goes over a port that the
// host hands to both, past the host.

const id = z.int().min(1)

/** From the service: start a module for work of its own, or end what was started. */
export const WorkWish = z.discriminatedUnion('type', [
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
export type WorkWish = z.infer<typeof WorkWish>

/** To the service. `work.port` brings its end of the port along; `code` is the exit code or, where a signal ended it, that signal's number. */
export const WorkNews = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('work.port'), id }),
  z.strictObject({ type: z.literal('work.printed'), id, text: z.string() }),
  z.strictObject({ type: z.literal('work.ended'), id, code: z.int().nullable() }),
])
export type WorkNews = z.infer<typeof WorkNews>
