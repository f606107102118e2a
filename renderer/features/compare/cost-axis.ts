import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import { count, duration } from '../../components/format.ts'

export const COST_AXES = ['latency_ms', 'total_tokens', 'llm_calls', 'cloud_calls'] as const
/** What quality is set against; each a mean per answered cell, lower is better. */
export type CostAxis = (typeof COST_AXES)[number]

const calls = (value: number): string => (Number.isInteger(value) ? count(value) : value.toFixed(2))

/** How each is called, and how a value is written. */
export const COSTS: Record<CostAxis, { label: string; name: string; write: (value: number) => string }> = {
  latency_ms: { label: 'Latency', name: 'mean latency', write: duration },
  total_tokens: { label: 'Tokens', name: 'mean tokens per cell', write: count },
  llm_calls: { label: 'LLM calls', name: 'mean LLM calls per cell', write: calls },
  cloud_calls: { label: 'Cloud calls', name: 'mean cloud calls per cell', write: calls },
}

/** Aliases that no other one is at least as good as in quality and cost and better in one. */
export function frontierOf(points: readonly FrontierPoint[], axis: CostAxis, better: 'higher' | 'lower'): Set<string> {
  const sign = better === 'higher' ? 1 : -1
  const placed = points.filter((point) => point.quality !== null && point[axis] !== null)
  const beats = (one: FrontierPoint, other: FrontierPoint): boolean => {
    const [quality, cost] = [sign * (one.quality! - other.quality!), other[axis]! - one[axis]!]
    return quality >= 0 && cost >= 0 && quality + cost > 0
  }
  return new Set(placed.filter((point) => !placed.some((other) => beats(other, point))).map(({ model }) => model))
}
