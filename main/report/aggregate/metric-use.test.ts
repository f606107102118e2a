import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { decidedRun } from '../../../tests/helpers/decided-run.ts'
import { unvalidatedJudges } from '../../../contract/validated-grades.ts'
import { gradesReason, noPrimaryReason, primaryMetric, unrankedReason, unvalidatedGraders } from './metric-use.ts'

/** A run that has nothing but grades of these judges, declared to decide. */
async function judgedBy(judges: string[]): Promise<Aggregate> {
  const run = structuredClone(await decidedRun({ vanilla: 12, hybrid: 12 }))
  run.reproducibility!.runtime.primary_metric = 'judge_mean'
  run.comparisons!.metrics = run.comparisons!.metrics.slice(0, 1).map((metric) => ({
    ...metric,
    metric: 'score',
    metric_class: 'judge_panel',
  }))
  return { ...run, judge_panel: { status: 'pending', judges } }
}

it('a run without an answered cell has no primary metric because its cells failed, whatever its questions have', async () => {
  const run = structuredClone(await decidedRun({ vanilla: 12, hybrid: 12 }))
  for (const approach of run.approaches) approach.cells = { ...approach.cells, error: approach.cells.ok, ok: 0 }
  expect(noPrimaryReason([run])).toBe('no question was answered, so nothing has a score')
})

describe('the mean of judges', () => {
  it('neither ranks nor decides while the agreement of its judges with people is not measured', async () => {
    const run = await judgedBy(['gpt-a', 'gpt-b'])
    expect(unrankedReason([run], 'score')).toBe(
      "judge mean is of gpt-a and gpt-b, whose agreement with people's grades is not measured: it is shown, not validated, and ranks no approach",
    )
    expect(primaryMetric([run])).toBeNull()
    expect(noPrimaryReason([run])).toBe(
      "the declared primary metric, judge mean, is of gpt-a and gpt-b, whose agreement with people's grades is not measured",
    )
  })

  it('ranks where that agreement is measured for each of its judges', () => {
    const validated = (model: string, pearson = 0.62) => ({
      metric: 'judge_mean',
      model,
      pearson,
      answers: 200,
      labels: 'public',
    })
    const reason = (...grades: ReturnType<typeof validated>[]) => unvalidatedJudges(['gpt-a', 'gpt-b'], grades)
    expect(reason(validated('gpt-a'), validated('gpt-b'))).toBeNull()
    expect(reason(validated('gpt-a'), validated('gpt-b', 0.61))).toMatch(/^is of gpt-b, whose/)
  })

  it('neither ranks nor decides where built-in rules are among the judges', async () => {
    const run = await judgedBy(['gpt-a', 'builtin-lexical-support'])
    expect(unrankedReason([run], 'score')).toBe(
      "judge mean is of built-in rules, which do not follow people's grades: it is shown, not validated, and ranks no approach",
    )
    expect(primaryMetric([run])).toBeNull()
    expect(noPrimaryReason([run])).toBe(
      "the declared primary metric, judge mean, is of built-in rules, which do not follow people's grades",
    )
  })
})

describe('a graded metric', () => {
  async function gradedBy(model: string): Promise<Aggregate> {
    const run = structuredClone(await decidedRun({ vanilla: 12, hybrid: 12 }))
    run.metrics = ['faithfulness']
    for (const { evaluation } of run.approaches) evaluation.evaluator_models = [model]
    run.reproducibility!.runtime.models = null
    return run
  }

  it('ranks no approach while the agreement of its model with people is not measured', async () => {
    expect(unrankedReason([await gradedBy('gpt-a')], 'faithfulness')).toBe(
      "faithfulness was graded by gpt-a, whose agreement with people's grades is not measured: it is shown and ranks no approach",
    )
  })

  it('ranks where that agreement reaches the least one, for that metric and model alone', async () => {
    const run = await gradedBy('gpt-a')
    const grade = { metric: 'faithfulness', model: 'gpt-a', pearson: 0.62, answers: 200, labels: 'public' }
    expect(unvalidatedGraders([run], 'faithfulness', [grade])).toEqual([])
    expect(unvalidatedGraders([run], 'faithfulness', [{ ...grade, pearson: 0.61 }])).toEqual(['gpt-a'])
    expect(unvalidatedGraders([run], 'faithfulness', [{ ...grade, metric: 'context_recall' }])).toEqual(['gpt-a'])
    expect(unvalidatedGraders([run], 'faithfulness', [{ ...grade, model: 'gpt-b' }])).toEqual(['gpt-a'])
  })

  it('decides nothing by grades of a model until its agreement with people is measured', () => {
    const grade = { metric: 'faithfulness', model: 'gpt-a', pearson: 0.7, answers: 200, labels: 'public' }
    expect(gradesReason('faithfulness', ['gpt-a'], [grade])).toBeNull()
    expect(gradesReason('faithfulness', ['gpt-a', 'gpt-b'], [grade])).toBe(
      "was graded by gpt-b, whose agreement with people's grades is not measured",
    )
    expect(gradesReason('facts_found', ['gpt-b'])).toBeNull()
  })

  it('of built-in rules ranks no approach and names them', async () => {
    expect(unrankedReason([await gradedBy('rule-critic')], 'faithfulness')).toContain('graded by built-in rules')
  })
})
