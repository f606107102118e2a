import { expect, it } from 'vitest'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import type { Plan } from './effects.ts'
import { planFigures } from './plan-figures.ts'

const plan = {
  totals: { total: 4, reuse: 0 },
  datasets: [{ expected_cost: null, parts: [] }],
  estimated_minutes: null,
  model_calls: null,
} as unknown as Plan

const setOf = (...backends: string[]): ModelSetView =>
  ({
    roles: Object.fromEntries(
      backends.map((backend) => [backend, { backend, model: 'toy-1', cloud: false, known: [], learned_at: null }]),
    ),
  }) as unknown as ModelSetView

const cost = (set: ModelSetView | undefined) => new Map(planFigures(plan, set)).get('Cost')

it('a plan costs nothing with built-in rules and model files alone; with a service of no known price, the cost is unknown', () => {
  expect(cost(setOf('builtin', 'onnx'))).toBe('none')
  expect(cost(setOf('builtin', 'openai'))).toBe('unknown')
  expect(cost(undefined)).toBe('unknown')
})
