import { z } from 'zod'
import { count, Identifier } from '../common.ts'
import { SERVICE_NAMES } from './service-list.ts'

/** The children and outer services that the engine knows. */
export const ServiceName = z.enum(SERVICE_NAMES)
export type ServiceName = z.infer<typeof ServiceName>

/** `absent`: this installation does not have it. `external`: it runs elsewhere, at `url`. The others as the supervisor reports. */
export const ServiceStateName = z.enum([
  'absent',
  'external',
  'idle',
  'starting',
  'ready',
  'backoff',
  'stopping',
  'stopped',
  'failed',
])
export type ServiceStateName = z.infer<typeof ServiceStateName>

export const ServiceView = z.strictObject({
  name: ServiceName,
  state: ServiceStateName,
  /** Why it is in this state, where there is a reason. */
  detail: z.string().nullable(),
  url: z.string().nullable(),
  /** Who keeps it running: a run, or a person who started it; null when neither does. */
  used_by: z.enum(['run', 'panel']).nullable(),
  /** Ingestion profile that the platform serves. */
  profile: Identifier.nullable(),
  pid: z.int().nullable(),
  since: z.iso.datetime().nullable(),
  /** Starts of this engine's life beyond the first of each use. */
  restarts: count,
  last_exit: z
    .strictObject({ at: z.iso.datetime(), code: z.int().nullable(), signal: z.string().nullable() })
    .nullable(),
  /** Null where the system does not report it. `cpu_percent` is of one processor, since the last measurement. */
  usage: z.strictObject({ rss_bytes: count, cpu_percent: z.number().nullable() }).nullable(),
  /** Holds what it was started with; secrets left out. */
  settings: z.record(z.string(), z.string()),
  can: z.strictObject({ start: z.boolean(), stop: z.boolean(), restart: z.boolean() }),
})
export type ServiceView = z.infer<typeof ServiceView>

export const ServiceStartInput = z.strictObject({
  name: ServiceName,
  /** The platform serves one dataset's collections at a time; its first dataset when absent. */
  dataset_id: Identifier.optional(),
})

export const ServiceInput = z.strictObject({ name: ServiceName })

/** `job`: a background job of the platform that is none of the others. */
const PlatformWorkKind = z.enum(['job', 'research', 'media'])

/** Something that the platform does in the background. */
export const PlatformWork = z.strictObject({
  kind: PlatformWorkKind,
  id: z.string(),
  /** Holds what it is about, in the words of whoever started it; a job's kind. */
  title: z.string(),
  /** `pending`, `running`, `succeeded` or another word of its kind. */
  status: z.string(),
  is_open: z.boolean(),
  can_cancel: z.boolean(),
  /** Newest line of its log. */
  progress: z.string().nullable(),
  error: z.string().nullable(),
  /** Of a media operation that has ended; null where it is unknown, and for everything else. */
  cost_usd: z.number().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type PlatformWork = z.infer<typeof PlatformWork>

export const PlatformWorkInput = z.strictObject({ kind: PlatformWorkKind, id: z.string().min(1).max(128) })
export type PlatformWorkInput = z.infer<typeof PlatformWorkInput>

export const ServiceLogsInput = z.strictObject({
  name: ServiceName,
  /** Number of the last line seen; 0 gives everything that is still kept. */
  after: count.default(0),
  /** False ends the stream with the last line that is there now. */
  follow: z.boolean().default(true),
})

/** A line as the child printed it, at most 2,000 characters; `missed` counts lines before it that are no longer kept. */
export const ServiceLogLine = z.strictObject({
  number: count,
  at: z.iso.datetime(),
  text: z.string(),
  missed: count,
})
export type ServiceLogLine = z.infer<typeof ServiceLogLine>
