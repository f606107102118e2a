import { z } from 'zod'
import { InputProblem } from './control-error.ts'
import { IndexState } from './events.ts'
import { RunJob } from './run-job.ts'
import { IndexStatus } from './run-index/upkeep.ts'
import { ServiceView } from './services.ts'

/** Describes what a page needs before it draws anything. */
export const SystemStatus = z.strictObject({
  engine_id: z.string(),
  version: z.string(),
  started_at: z.iso.datetime(),
  pid: z.int(),
  node: z.string(),
  rss_bytes: z.int().min(0),
  /** Newest event number. */
  seq: z.int().min(0),
  project: z.strictObject({ name: z.string().nullable(), root: z.string(), results: z.string() }),
  /** Problems of the manifests; none when they can be used. */
  experiment: z.strictObject({ file: z.string().nullable(), problems: z.array(InputProblem) }),
  active: RunJob.nullable(),
  queued: z.array(RunJob),
  services: z.array(ServiceView),
  index: z.strictObject({ state: IndexState, message: z.string().nullable(), status: IndexStatus.nullable() }),
})
export type SystemStatus = z.infer<typeof SystemStatus>

/** A fresh link that opens the panel in a browser, once. */
export const BrowserLink = z.strictObject({ url: z.string(), expires_at: z.iso.datetime() })

/**
 * A page of the panel shows this header besides its cookie. Cookies know no ports, so a browser sends ours to every program that listens on this
 * machine; this key is kept in the page's own origin, port included, and travels in a header.
 */
export const PAGE_KEY_HEADER = 'x-rag-ladder-page'
/** Query parameter by which a redeemed link gives the key to the page, which takes it out of its address at once. */
export const PAGE_KEY_PARAMETER = 'page-key'
