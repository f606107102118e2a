import { z } from 'zod'
import { Identifier } from '../common.ts'
import { EXTERNAL_SERVICE_NAMES } from '../manifests/connections.ts'
import { JudgeEndpoint, JudgeModelName, MAX_CONCURRENCY } from '../manifests/evaluation.ts'
import { ServiceAddress } from '../service-address.ts'

/** Describes what a person may change without editing manifests; null leaves it to environment and manifests. */
export const EngineSettings = z.strictObject({
  /** A platform that runs elsewhere, instead of the embedded one. */
  gateway_url: ServiceAddress.nullable().default(null),
  /** States where its other routes are, when not at the gateway's address. */
  platform_url: ServiceAddress.nullable().default(null),
  /** Another evaluator than the platform's own. */
  evaluator_url: ServiceAddress.nullable().default(null),
  judge_endpoint: JudgeEndpoint.nullable().default(null),
  judge_models: z.array(JudgeModelName).max(16).nullable().default(null),
  /** Set of `manifests/models.yaml`. */
  model_set: Identifier.nullable().default(null),
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).nullable().default(null),
})
export type EngineSettings = z.infer<typeof EngineSettings>

/** It becomes a header: nothing but printable ASCII. */
export const SecretText = z.string().regex(/^[\x21-\x7e]{1,8192}$/, 'printable characters without blanks only')

export const SecretName = z.enum(['gateway_api_key', 'platform_token', 'evaluator_api_key', 'judge_api_key'])
export type SecretName = z.infer<typeof SecretName>

/** Origin (scheme, host, port) that each token is sent to; null where no address is set for it. */
export const SecretOrigins = z.record(SecretName, z.string().nullable())
export type SecretOrigins = z.infer<typeof SecretOrigins>

/** `secrets` lists where each comes from; the values never leave the engine. */
export const SettingsView = z.strictObject({
  settings: EngineSettings,
  secrets: z.record(SecretName, z.enum(['unset', 'environment', 'session'])),
  secret_origins: SecretOrigins,
  folders: z.strictObject({ project: z.string(), results: z.string(), published: z.string(), state: z.string() }),
})
export type SettingsView = z.infer<typeof SettingsView>

/**
 * Describes where the address of a service outside of this program comes from; the first of these that names one counts. `not_allowed`: the project's file names
 * one that this person has not allowed, so it is not used. `allowed`: the person has allowed it since the engine started, which reads the file at its start.
 */
export const ConnectionView = z.strictObject({
  name: z.enum(EXTERNAL_SERVICE_NAMES),
  variable: z.string(),
  /** Null where there is none, and for one that holds a credential. */
  address: z.string().nullable(),
  source: z.enum(['setting', 'variable', 'file', 'allowed', 'not_allowed', 'none']),
})
export type ConnectionView = z.infer<typeof ConnectionView>

/** A service whose address in the project's file the person allows. `address` is the one that was shown: another one is refused. */
export const AllowedConnection = ConnectionView.pick({ name: true }).extend({ address: z.string() })

/** Only what is named changes. Secrets are held in the engine's memory until it ends; null forgets one. Nothing changes under a run. */
export const SettingsUpdate = z.strictObject({
  settings: EngineSettings.partial().optional(),
  secrets: z.partialRecord(SecretName, SecretText.nullable()).optional(),
})
export type SettingsUpdate = z.infer<typeof SettingsUpdate>

/** Describes what the panel remembers of a person in this project, whatever browser shows it. */
export const PanelState = z.strictObject({
  /** The first-start tour was finished or skipped: it does not open by itself again. */
  tour_seen: z.boolean().default(false),
})
export type PanelState = z.infer<typeof PanelState>
