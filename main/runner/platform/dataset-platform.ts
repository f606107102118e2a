import type { PlatformHealth } from '../../../contract/http/platform.ts'
import { createEvaluatorClient, type EvaluatorClient } from '../../evaluation/evaluator-client.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { evaluateUrl } from '../../lib/services/gateway-client.ts'
import { createPlatformClient, PlatformError, type PlatformClient } from './platform-client.ts'
import { checkAliases } from '../prepare/preflight.ts'

/** The evaluator that a run asked for; null when it asked for none. */
export function evaluatorOf(run: DatasetRun, platform: ServedDataset): EvaluatorClient | null {
  if (run.evaluator === null || run.metrics.length === 0) return null
  const target =
    run.evaluator === 'platform'
      ? {
          url: evaluateUrl(platform.platformUrl ?? platform.url),
          apiKey: platform.operatorToken,
          edgeKey: platform.edgeKey,
          ready: platform.ready,
        }
      : run.evaluator
  const { retries, evaluator_timeout_s: timeoutS } = run.experiment.evaluation.run
  return createEvaluatorClient({ ...target, retries, timeoutMs: timeoutS * 1000 })
}

/** Describes where a dataset's aliases answer, and what the platform reports about itself; null where it reports nothing. */
export interface ServedDataset {
  url: string
  platformUrl?: string | null
  apiKey: string | null
  operatorToken: string | null
  edgeKey?: string | null
  health: PlatformHealth | null
  /** Resolves when the platform's process works; throws when it has failed. */
  ready: () => Promise<void>
}

export interface StartedPlatform extends ServedDataset {
  client: PlatformClient
  stop(): Promise<void>
}

/** Step 3: starts the platform with the collections of this dataset. Throws `PlatformError` when it serves another profile. */
export async function startPlatform(run: DatasetRun): Promise<StartedPlatform> {
  const platform = await run.platform.start(run.dataset.profile.name, AbortSignal.any([run.drain, run.abort]))
  const client = createPlatformClient(platform)
  try {
    await checkProfile(client, run)
    // An alias that is not declared will not be later either; whether it can answer is asked when its collections exist.
    await checkAliases(client, run.aliases, 'to_come')
    return { ...platform, client, health: await healthOf(client, run) }
  } catch (error) {
    await client.close()
    await platform.stop()
    throw error
  }
}

/** Returns what a platform that runs elsewhere need not have: routes of our own, or fields that the specification does not name. */
const isOptional = (error: unknown): boolean =>
  error instanceof PlatformError && (error.code === 'http_error' || error.code === 'invalid_response')

async function healthOf(client: PlatformClient, { platform }: DatasetRun): Promise<PlatformHealth | null> {
  if (platform.kind === 'embedded') return client.health()
  return client.health().catch((error: unknown) => {
    if (isOptional(error)) return null
    throw error
  })
}

async function checkProfile(client: PlatformClient, { dataset, platform }: DatasetRun): Promise<void> {
  const needed = dataset.profile.name
  const served = await client.ragHealth().then(
    ({ profile }) => profile,
    (error: unknown) => {
      if (platform.kind === 'external' && isOptional(error)) return needed
      throw error
    },
  )
  if (served === needed) return
  const message = `the platform serves the profile ${served ?? '(none)'}, but ${dataset.dataset.id} needs ${needed}: start it with RAG_PROFILE=${needed}`
  throw new PlatformError('invalid_response', message, null)
}
