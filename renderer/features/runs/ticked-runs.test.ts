import { describe, expect, it } from 'vitest'
import { comparisonOf, whyNotTicked } from './ticked-runs.ts'

const run = (run_id: string, datasets: string[], kind: 'canonical' | null = 'canonical', at = '2026-11-20') => ({
  run_id,
  at,
  kind,
  datasets: datasets.map((dataset_id) => ({ dataset_id, label: dataset_id, questions: 4, damaged: false })),
})

describe('runs that are ticked to be compared', () => {
  const [both, smoke, graph] = [run('both', ['smoke', 'graph']), run('smoke', ['smoke']), run('graph', ['graph'])]

  it('are compared on the first dataset that both asked, the newer one first, whichever was ticked first', () => {
    const newer = run('newer', ['graph'], 'canonical', '2026-11-21')
    const comparison = { run: 'newer', runs: ['both'], dataset: 'graph' }
    expect([comparisonOf(both, newer), comparisonOf(newer, both)]).toEqual([comparison, comparison])
    expect(comparisonOf(smoke, graph)).toBeUndefined()
  })

  it('are two at most, and only runs with answers to questions of one dataset', () => {
    expect(whyNotTicked(smoke, [])).toBeNull()
    expect(whyNotTicked(run('new', ['smoke'], null), [])).toMatch(/no answer/)
    expect(whyNotTicked(smoke, [both])).toBeNull()
    expect(whyNotTicked(graph, [smoke])).toContain('no questions with smoke')
    expect(whyNotTicked(graph, [smoke, both])).toMatch(/two/i)
  })

  it('can always be unticked', () => {
    expect(whyNotTicked(both, [smoke, both])).toBeNull()
  })
})
