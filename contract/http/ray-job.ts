import { z } from 'zod'

/** States of a job of a Ray cluster; the last three are final. */
export const RayJobStatus = z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'])
export type RayJobStatus = z.infer<typeof RayJobStatus>

/** A job as `GET /api/jobs/` of a Ray cluster lists it. Times are milliseconds since 1970. Jobs that were not submitted have no submission id. */
export const RayJob = z.looseObject({
  submission_id: z.string().nullish(),
  status: RayJobStatus,
  message: z.string().nullish(),
  start_time: z.number().nullish(),
  end_time: z.number().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
})
export type RayJob = z.infer<typeof RayJob>

/** `POST /api/jobs/`. */
export const RayJobSubmitted = z.looseObject({ submission_id: z.string() })

/** `GET /api/jobs/{id}/logs`. */
export const RayJobLog = z.looseObject({ logs: z.string() })

/** `POST /api/jobs/{id}/stop`. */
export const RayJobStopped = z.looseObject({ stopped: z.boolean() })
