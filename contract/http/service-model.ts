import { z } from 'zod'

/** Bytes of a download under way. */
export const DownloadProgress = z.object({ received_bytes: z.int(), total_bytes: z.int() })

/** A model that a service works with or could after a download, whatever it is for: `POST /v1/models/{id}` fetches it, `DELETE` removes it. */
export const ServiceModel = z.object({
  id: z.string(),
  task: z.string(),
  /** An SPDX identifier where there is one; null where it is unknown. */
  license: z.string().nullable(),
  /** True when it can work now. */
  installed: z.boolean(),
  /** Size of its files; null for what is part of the installation, and while it is unknown: then only the server knows. */
  download_bytes: z.int().nullable(),
  /** Who made the weights, and under which terms; null for what is part of the installation. */
  source_page: z.url().nullable(),
  /** Null while nothing is fetched. */
  progress: DownloadProgress.nullable(),
  /** True when checksums or a commit define which bytes are right; false: the source can replace them. Null for what is part of the installation. */
  pinned: z.boolean().nullable(),
  /** Never run by the project on its real weights: it may fail, or answer wrongly. False where a service does not say. */
  experimental: z.boolean().default(false),
  /** Why the last download failed, and what to do; null when none has, or another one was begun. */
  failure: z.string().nullable(),
})
export type ServiceModel = z.infer<typeof ServiceModel>
