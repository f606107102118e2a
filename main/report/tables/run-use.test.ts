import { expect, it } from 'vitest'
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import { estimatedUsage, usageOfCall } from '../../../contract/evidence/model-usage.ts'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import { countWords } from '../../../contract/words.ts'
import { judgingUse } from '../aggregate/usage-tally.ts'
import { aggregateRows } from '../csv/aggregate-rows.ts'
import { runUse, runUseLines, runUseTable } from './run-use.ts'

const [READ, CACHED, WRITTEN] = [countWords(400_000), countWords(300_000), countWords(100_000)]
const prices = { currency: 'EUR', models: { chat: { input: 2, output: 8 } } }
const chat = usageOfCall('chat', true, { prompt_tokens: 400_000, completion_tokens: 100_000 })
const silent = usageOfCall('chat', true, null)
const guessed = usageOfCall('chat', true, estimatedUsage(900, 20))

const distribution = (mean: number | null, n: number) => ({ mean, n })
const approach = (model: string, usage?: ApproachSummary['usage'], paid: number | null = 0) =>
  ({
    model,
    cells: { ok: 4 },
    operational: { latency_ms: distribution(500, 4), cloud_calls: distribution(paid, paid === null ? 0 : 4) },
    ...(usage === undefined ? {} : { usage }),
  }) as unknown as ApproachSummary
const aggregate = (approaches: ApproachSummary[], more: Partial<Aggregate> = {}) =>
  ({
    run_id: 'r',
    dataset: { id: 'notes', label: 'Notes' },
    approaches,
    judge_panel: { status: 'disabled' },
    ...more,
  }) as unknown as Aggregate

it('answers, ingestion, grading and judging have their calls, tokens, cost and time', () => {
  const found = aggregate([approach('a', { answers: [chat], grading: [guessed], unknown_cells: 0 }), approach('b')], {
    ingestion_use: { models: [chat, silent], seconds: 61 },
    judging_use: { models: [silent], seconds: 3 },
  })
  expect(runUseTable(found, prices)).toEqual({
    head: ['work', 'calls', 'tokens read', 'tokens written', 'cost', 'time'],
    rows: [
      ['answers of a', '1', READ, WRITTEN, '1.60 EUR', '2.0 s'],
      ['answers of b', '0', '0', '0', '0.00 EUR', '2.0 s'],
      ['ingestion', '≥ 2', `≥ ${READ}`, `≥ ${WRITTEN}`, 'at least 1.60 EUR', '61.0 s'],
      ['grading', '1', '≈ 900', '≈ 20', 'at least 0.0020 EUR', '–'],
      ['judging', '≥ 1', '–', '–', 'unknown', '3.0 s'],
    ],
  })
  expect(runUseTable(found, null).head).not.toContain('cost')
  expect(runUseLines([found], prices)[0]).toBe('What this run used · Notes')
})

it('tokens that a service read from its prompt cache have a column where one reports them', () => {
  const cached = { ...chat, cached_input_tokens: 300_000 }
  const found = aggregate([approach('a', { answers: [cached], grading: [], unknown_cells: 0 }), approach('b')], {
    ingestion_use: { models: [cached, silent], seconds: 61 },
    judge_panel: { status: 'ok' } as Aggregate['judge_panel'],
  })
  expect(runUseTable(found, null)).toEqual({
    head: ['work', 'calls', 'tokens read', 'of them from a cache', 'tokens written', 'time'],
    rows: [
      ['answers of a', '1', READ, CACHED, WRITTEN, '2.0 s'],
      ['answers of b', '0', '0', '–', '0', '2.0 s'],
      ['ingestion', '≥ 2', `≥ ${READ}`, `≥ ${CACHED}`, `≥ ${WRITTEN}`, '61.0 s'],
      ['judging', '–', '–', '–', '–', '–'],
    ],
  })
  const lines = [...aggregateRows({ ...found, approaches: [], unavailable: [] })]
  expect(lines).toContainEqual(
    expect.objectContaining({ metric: 'ingestion_tokens_cached', state: 'partial', sum: 300_000 }),
  )
})

it('what is not recorded is unknown, never nothing', () => {
  const found = aggregate(
    [approach('a', { answers: [chat], grading: [], unknown_cells: 2 }), approach('b', undefined, null)],
    { judge_panel: { status: 'ok' } as Aggregate['judge_panel'] },
  )
  expect(runUseTable(found, prices).rows).toEqual([
    ['answers of a', '≥ 1', `≥ ${READ}`, `≥ ${WRITTEN}`, 'at least 1.60 EUR', '2.0 s'],
    ['answers of b', '–', '–', '–', 'unknown', '2.0 s'],
    ['ingestion', '–', '–', '–', 'unknown', '–'],
    ['judging', '–', '–', '–', 'unknown', '–'],
  ])
})

it('a run of rules has no table', () => {
  expect(runUse(aggregate([approach('a')]))).toEqual([])
  expect(runUseLines([aggregate([approach('a')])], prices)).toEqual([])
})

it('judging is what the judges used for their verdicts, failed ones included', () => {
  const judgments = {
    queries: [{ per_judge: { chat: { rotations: [{ usage: chat }, { usage: guessed }] }, rules: { scores: {} } } }],
    errors: [{ usage: silent }],
  } as unknown as Judgments
  expect(judgingUse({ state: 'read', judgments }).judging_use).toEqual({
    models: [{ ...chat, calls: 3, unreported: 1, estimated: 1, input_tokens: 400_900, output_tokens: 100_020 }],
    seconds: null,
  })
  expect(judgingUse({ state: 'read', judgments: { queries: [] } as unknown as Judgments })).toEqual({})
})
