import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../../contract/evidence/aggregate.ts'
import { decidedRun } from '../../../../tests/helpers/decided-run.ts'
import { resultsJsonl } from '../../csv/results-jsonl.ts'
import { verdictsOf } from '../../verdict/verdict.ts'
import { comparableRuns } from './comparable-runs.ts'
import { siteIndex } from './site-index.ts'

const text = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

async function run(
  runId: string,
  hits: number,
  change: (aggregate: Aggregate) => void = () => undefined,
): Promise<Aggregate> {
  const aggregate = {
    ...structuredClone(await decidedRun({ vanilla: hits, hybrid: hits + 6 }, { primary: 'points_covered' })),
    run_id: runId,
  }
  change(aggregate)
  return aggregate
}
const site = (...aggregates: Aggregate[]): string =>
  siteIndex(
    aggregates.map((aggregate) => ({ runId: aggregate.run_id, aggregates: [aggregate] })),
    [],
  )

describe('runs of one dataset', () => {
  it.each<[string, (aggregate: Aggregate) => void]>([
    ['questions', (each) => (each.reproducibility!.config_hashes['queries'] = 'f'.repeat(64))],
    ['documents', (each) => (each.ingestion!.content_digest = 'other')],
    ['context budget', (each) => (each.reproducibility!.runtime.context_budget = 500)],
    ['models', (each) => (each.reproducibility!.runtime.models = null)],
    ['answers per question', (each) => (each.repeats = 2)],
    ['primary metric', (each) => (each.reproducibility!.runtime.primary_metric = 'token_f1')],
  ])('are in tables of their own where they differ in their %s', async (name, change) => {
    const groups = comparableRuns([await run('a', 10), await run('b', 8), await run('c', 12, change)])
    expect(groups.map(({ aggregates }) => aggregates.map(({ run_id }) => run_id))).toEqual([['a', 'b'], ['c']])
    expect(groups[1]!.differs).toEqual([name])
  })

  it('are alone where a run does not record its conditions, also beside another such run', async () => {
    const without = (each: Aggregate): void => void (each.reproducibility = null)
    expect(comparableRuns([await run('a', 10, without), await run('b', 10, without)])).toHaveLength(2)
  })
})

describe('the first page of a site', () => {
  it('has each run with the sentence of its verdict and a link to its page', async () => {
    const [a, b] = [await run('a', 10), await run('b', 4)]
    const page = site(a, b)
    for (const aggregate of [a, b]) {
      const [{ label, headline, why }] = verdictsOf([aggregate]) as [ReturnType<typeof verdictsOf>[number]]
      expect(text(page)).toContain(`${label}: ${headline}. ${why}`)
      expect(text(page)).toMatch(/Protocol: /)
      expect(page).toContain(`<a href="runs/${aggregate.run_id}.html">`)
    }
  })

  it('gives places over comparable runs by their means, and says that no test was made between them', async () => {
    const page = text(site(await run('a', 10), await run('b', 4)))
    expect(page).toMatch(/hybrid\S* a 1 0\.67 .*vanilla\S* a 2 0\.42 .*hybrid\S* b 2 0\.42 .*vanilla\S* b 4 0\.17/i)
    expect(page).toContain('No test was made between two runs')
    expect(page).not.toContain('different sets of conditions')
  })

  it('ranks no run against one of other conditions', async () => {
    const page = text(site(await run('a', 10), await run('b', 4, (each) => (each.ingestion!.content_digest = 'other'))))
    expect(page).toContain('These runs were measured under 2 different sets of conditions')
    expect(page).toContain('Differs from the first table in: documents.')
    expect(page).not.toContain('No test was made between two runs')
    // Places begin again in each table.
    expect([...page.matchAll(/ [ab] ([12]) 0\.\d\d/g)].map(([, place]) => place)).toEqual(['1', '2', '1', '2'])
  })

  it('loads nothing, runs nothing and escapes every text', async () => {
    const page = site(await run('a', 10, (each) => (each.dataset.label = '<script>alert(1)</script>')))
    expect(page).not.toMatch(/<script|https?:|src=/)
    expect(page).toContain('default-src &#39;none&#39;')
    expect(page).toContain('&lt;script&gt;')
    expect(page).toContain('prefers-color-scheme: dark')
    expect(site(await run('a', 10))).toBe(site(await run('a', 10)))
  })
})

it('results as JSON lines have the same fields with values of the same types in every line, and the means of the aggregate', async () => {
  const aggregate = await run('a', 10)
  const lines = [...resultsJsonl([aggregate])].map((line) => JSON.parse(line) as Record<string, unknown>)
  const names = new Set(lines.map((line) => Object.keys(line).join()))
  expect(names.size).toBe(1)
  for (const name of Object.keys(lines[0]!)) {
    const kinds = new Set(
      lines
        .map((line) => line[name])
        .filter((value) => value !== null)
        .map((value) => typeof value),
    )
    expect([name, kinds.size]).toEqual([name, kinds.size === 0 ? 0 : 1])
  }
  const [vanilla] = aggregate.approaches
  expect(
    lines.find(({ approach, metric }) => approach === vanilla!.model && metric === 'points_covered'),
  ).toMatchObject({
    run_id: 'a',
    value: vanilla!.answer.points_covered!.mean,
    scored: 24,
    is_primary: true,
    higher_is_better: true,
  })
  expect(lines.some(({ value, state }) => value === null && state !== null)).toBe(true)
})
