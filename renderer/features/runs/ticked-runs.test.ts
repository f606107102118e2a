import { describe, expect, it } from 'vitest'
import { sharedDataset, whyNotTicked } from './ticked-runs.ts'

const run = (run_id: string, datasets: string[], kind: 'canonical' | null = 'canonical') => ({
  run_id,
  kind,
  datasets: datasets.map((dataset_id) => ({ dataset_id, label: dataset_id, questions: 4, damaged: false })),
})

describe('runs that are ticked to be compared', () => {
  const [both, smoke, graph] = [run('both', ['smoke', 'graph']), run('smoke', ['smoke']), run('graph', ['graph'])]

  it('share the first dataset that both asked', () => {
    expect(sharedDataset(both, graph)).toBe('graph')
    expect(sharedDataset(smoke, graph)).toBeUndefined()
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
