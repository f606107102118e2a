import type { Metric } from './metric.ts'

export const latencyMs = {
  id: 'latency_ms',
  label: 'latency',
  definition:
    'time of the last attempt at an answer, without the waits for a turn at a model that the gateway reports; failed answers do not count; lower is better',
  class: 'operational',
  better: 'lower',
  range: [0, null],
  needs: [],
  unit: 'duration',
  ranking: 'always',
  report: { place: 11, parts: ['board'] },
} as const satisfies Metric
