import type { Metric } from './metric.ts'

export const latencyMs = {
  id: 'latency_ms',
  label: 'latency',
  definition:
    'time that an approach and its models take for an answer, in its last attempt; waiting for a turn at a service that limits its calls, or at a busy model, is left out where the gateway reports it; a pause before another try after an error counts; failed answers do not count; lower is better',
  class: 'operational',
  better: 'lower',
  range: [0, null],
  needs: [],
  unit: 'duration',
  ranking: 'always',
  report: { place: 11, parts: ['board'] },
} as const satisfies Metric
