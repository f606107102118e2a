import type { FastifyInstance } from 'fastify'
import type { PlatformUsage } from '../../../../contract/http/platform.ts'
import { createCounter, createHistogram } from './labelled.ts'
import { METRICS_CONTENT_TYPE, metricsText } from './text-format.ts'
import type { MetricFamily } from './text-format.ts'

export interface MetricsDeps {
  version: string
  usage: () => PlatformUsage
}

const DURATION_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * Measures every request that is answered from now on. Routes are named by their pattern, so that no caller can add series; paths that
 * match none share one name.
 */
export function measureRequests(app: FastifyInstance): () => MetricFamily[] {
  const requests = createCounter('rag_ladder_http_requests_total', 'Requests answered, by method, route and status.')
  const durations = createHistogram(
    'rag_ladder_http_request_duration_seconds',
    'Time from the headers to the last byte of the answer.',
    DURATION_BOUNDS_SECONDS,
  )
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched')
    const labels = { method: request.method, route }
    requests.add({ ...labels, status: String(reply.statusCode) })
    durations.observe(labels, reply.elapsedTime / 1000)
  })
  return () => [requests.family(), durations.family()]
}

/** `GET /metrics`: requests, model calls and this process, in Prometheus' text format. */
export function registerMetricsRoute(
  app: FastifyInstance,
  requestFamilies: () => MetricFamily[],
  deps: MetricsDeps,
): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  app.get('/metrics', async (_request, reply) => {
    const { model_calls: modelCalls, alias_calls: aliasCalls } = deps.usage()
    const families = [
      ...requestFamilies(),
      counts('rag_ladder_model_calls_total', 'Model calls since the start, by role.', 'role', modelCalls),
      counts('rag_ladder_alias_calls_total', 'Approach calls since the start, by alias.', 'alias', aliasCalls),
      gauge('rag_ladder_build_info', 'The running version.', 1, { version: deps.version }),
      gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', process.memoryUsage.rss()),
      gauge('process_start_time_seconds', 'Start time of the process since the Unix epoch in seconds.', startedAt),
    ]
    return reply.type(METRICS_CONTENT_TYPE).send(metricsText(families))
  })
}

function counts(name: string, help: string, label: string, values: Readonly<Record<string, number>>): MetricFamily {
  const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }))
  return { name, help, type: 'counter', samples }
}

function gauge(name: string, help: string, value: number, labels: Record<string, string> = {}): MetricFamily {
  return { name, help, type: 'gauge', samples: [{ labels, value }] }
}
