import type { Metric } from './metric.ts'

export const latencyMs = {
  id: 'latency_ms',
  label: 'latency',
  definition: "time from the call to the answer in a cell's last attempt, of answered cells only; lower is better",
  class: 'operational',
  better: 'lower',
  range: [0, null],
  needs: [],
  unit: 'duration',
  ranking: 'always',
  report: { place: 11, parts: ['board'] },
} as const satisfies Metric
