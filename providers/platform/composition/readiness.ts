import { healthAddressOf, isRemoteModel, type ModelChoice } from '../../../contract/manifests/model-backends.ts'
import { createHttpClient } from '../../../core/http/http-client.ts'
import type { PlatformConfig } from './config.ts'

/** Resolves when a dependency works. */
export type Probe = () => Promise<unknown>

export const PROBE_TIMEOUT_MS = 3000

/** Asks every probe at once; each has three seconds. Calls that come meanwhile share one round. Failures are separate from the states. */
export function createReadiness(probes: Readonly<Record<string, Probe>>): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | null = null
  return () => {
    underWay ??= probeAll(probes).finally(() => {
      underWay = null
    })
    return underWay
  }
}

export interface Readiness {
  ready: boolean
  dependencies: Record<string, 'ready' | 'unavailable'>
  failures: { dependency: string; error: unknown }[]
}

async function probeAll(probes: Readonly<Record<string, Probe>>): Promise<Readiness> {
  const states = await Promise.all(
    Object.entries(probes).map(async ([dependency, probe]) => ({ dependency, error: await failureOf(probe) })),
  )
  const failures = states.filter(({ error }) => error !== null)
  const dependencies = Object.fromEntries(
    states.map(({ dependency, error }) => [dependency, error === null ? 'ready' : 'unavailable'] as const),
  )
  return { ready: failures.length === 0, dependencies, failures }
}

async function failureOf(probe: Probe): Promise<unknown> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`))
  }, PROBE_TIMEOUT_MS)
  try {
    await Promise.race([probe(), late.promise])
    return null
  } catch (error) {
    return error ?? new Error('the probe failed without a reason')
  } finally {
    clearTimeout(timer)
  }
}

/** Fails unless a server answers at the address; `mustBeOk` wants a 2xx, else any answer below 500 shows that the service is there. */
export function httpProbe(url: string, mustBeOk: boolean): Probe {
  return async () => {
    const answer = await createHttpClient().send(url, { timeoutMs: PROBE_TIMEOUT_MS })
    if (mustBeOk ? answer.isOk : answer.status < 500) return
    throw new Error(`${new URL(url).origin} answered HTTP ${answer.status}`)
  }
}

/** Probes for the model services of a set, without credentials: a refusal shows as well that they are there. Empty when all models run here. */
export function modelServiceProbes(choices: readonly ModelChoice[]): Record<string, Probe> {
  const addresses = new Set(choices.filter(isRemoteModel).map(healthAddressOf))
  if (addresses.size === 0) return {}
  return { model_services: () => Promise.all([...addresses].map((address) => httpProbe(address, false)())) }
}

type RemoteServices = Pick<
  PlatformConfig,
  'consumer' | 'models' | 'rerankAdapter' | 'ragPluginUrl' | 'converter' | 'speech'
> & {
  research: Pick<PlatformConfig['research'], 'searxngUrl'>
  ray: Pick<PlatformConfig['ray'], 'url'>
  media: { fal: { endpoint: string } | null; local: { url: string } | object }
}

/** One probe for each service outside this process that the configuration names; none for what is not configured. */
export function remoteProbes(config: RemoteServices): Record<string, Probe> {
  const { consumer, models, rerankAdapter, ragPluginUrl, converter, speech, research, ray, media } = config
  const plugin = ragPluginUrl === null ? null : `${ragPluginUrl}${consumer.plugin.route_prefix}`
  const health = (name: string, base: string | null, mustBeOk = true, path = '/health'): Record<string, Probe> =>
    base === null ? {} : { [name]: httpProbe(base + path, mustBeOk) }
  return {
    ...modelServiceProbes(Object.values(models.roles)),
    ...health('reranker', rerankAdapter.url),
    ...health('converter', converter?.url ?? null),
    ...health('speech_to_text', speech?.url ?? null),
    // These may want a credential: an answer is enough.
    ...health('rag_plugin', plugin, false),
    ...health('searxng', research.searxngUrl, false, '/healthz'),
    ...health('ray', ray.url, false, '/api/version'),
    ...health('media_provider', media.fal?.endpoint ?? null, false, ''),
    ...health('image_service', 'url' in media.local ? media.local.url : null, false, '/system_stats'),
  }
}
