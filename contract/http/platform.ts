import { z } from 'zod'
import { PluginAuth } from '../manifests/plugin.ts'
import { ModelRecord } from '../manifests/model-record.ts'
import { ModelUsage } from '../evidence/model-usage.ts'
import { ResolvedModels } from '../evidence/provenance.ts'

/** `GET /health` of the platform; `models`, `revision` and the counters are additive to the liveness answer. */
export const PlatformHealth = z.looseObject({
  status: z.string(),
  version: z.string(),
  revision: z.string().nullable().optional(),
  models: ResolvedModels.optional(),
})
export type PlatformHealth = z.infer<typeof PlatformHealth>

/** `GET /internal/usage`: model calls since the platform started, by role; approach calls by alias; tokens by model. */
export const PlatformUsage = z.looseObject({
  model_calls: z.record(z.string(), z.int().min(0)),
  alias_calls: z.record(z.string(), z.int().min(0)),
  /** Holds what each model used; rules are left out. Additive. */
  model_usage: z.array(ModelUsage).optional(),
  /** Holds what is known of each model at a service that was called. Additive. */
  model_records: z.array(ModelRecord).optional(),
})
export type PlatformUsage = z.infer<typeof PlatformUsage>

/** `GET /plugins`: what is mounted. `env` names the variables that are set; their values are masked. */
export const PluginList = z.looseObject({
  plugins: z.array(
    z.looseObject({
      name: z.string(),
      route_prefix: z.string(),
      auth: PluginAuth,
      env: z.record(z.string(), z.literal('***').nullable()),
      status: z.enum(['loaded', 'skipped', 'error']),
      /** Why it is in error; additive. */
      reason: z.string().nullable().optional(),
    }),
  ),
})
export type PluginList = z.infer<typeof PluginList>
