import type { RunPlan, PlatformHealth } from '../../contract/index.ts'
import { createEvaluatorClient, type EvaluatorClient } from '../evaluation/evaluator-client.ts'
import type { Alias } from '../manifests/experiment.ts'
import type { DatasetRun } from './dataset-run.ts'
import { apiUrl } from './gateway-client.ts'
import { createPlatformClient, PlatformError, type PlatformClient } from './platform-client.ts'

/** Aliases that the platform cannot answer now, as it says itself. */
async function findUnavailable(client: PlatformClient, aliases: readonly Alias[]): Promise<RunPlan['unavailable']> {
  const listed = new Map((await client.models()).data.map((entry) => [entry.id, entry]))
  return aliases.flatMap(({ alias }) => {
    const entry = listed.get(alias)
    if (entry === undefined) return [{ model: alias, reason: 'the gateway does not list this alias' }]
    const state = entry.rag_ladder
    // What only ingestion is missing for can answer once this run has ingested.
    const waits = state?.needs_ingestion === true
    return state?.available === false && !waits ? [{ model: alias, reason: state.reason ?? 'no reason given' }] : []
  })
}

/** The evaluator that a run asked for; null when it asked for none. */
export function evaluatorOf(run: DatasetRun, platform: ServedDataset): EvaluatorClient | null {
  if (run.evaluator === null || run.metrics.length === 0) return null
  const target =
    run.evaluator === 'platform'
      ? {
          url: apiUrl(platform.url, '/api/rag/evaluate'),
          apiKey: platform.operatorToken,
          edgeKey: platform.edgeKey,
          ready: platform.ready,
        }
      : run.evaluator
  const { retries, evaluator_timeout_s: timeoutS } = run.experiment.evaluation.run
  return createEvaluatorClient({ ...target, retries, timeoutMs: timeoutS * 1000 })
}

/** Where a dataset's aliases answer, and what the platform says of itself; null where it says nothing. */
export interface ServedDataset {
  url: string
  apiKey: string | null
  operatorToken: string | null
  edgeKey?: string | null
  health: PlatformHealth | null
  unavailable: RunPlan['unavailable']
  /** Resolves when the platform's process works; throws when it has been given up. */
  ready: () => Promise<void>
}

export interface StartedPlatform extends ServedDataset {
  client: PlatformClient
  stop(): Promise<void>
}

/** Step 3: starts the platform with the collections of this dataset. Throws `PlatformError` when it serves another profile. */
export async function startPlatform(run: DatasetRun): Promise<StartedPlatform> {
  const platform = await run.platform.start(run.dataset.profile.name)
  const client = createPlatformClient(platform)
  try {
    await checkProfile(client, run)
    return {
      ...platform,
      client,
      health: await client.health(),
      unavailable: await findUnavailable(client, run.aliases),
    }
  } catch (error) {
    await client.close()
    await platform.stop()
    throw error
  }
}

async function checkProfile(client: PlatformClient, { dataset }: DatasetRun): Promise<void> {
  const needed = dataset.profile.name
  const served = (await client.ragHealth()).profile
  if (served === needed) return
  const message = `the platform serves the profile ${served ?? '(none)'}, but ${dataset.dataset.id} needs ${needed}: start it with RAG_PROFILE=${needed}`
  throw new PlatformError('invalid_response', message, null)
}
