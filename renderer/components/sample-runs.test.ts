import { describe, expect, it } from 'vitest'
import type { CountedRun } from './partial-run.ts'
import { firstShown, largestSample, runChoices } from './sample-runs.ts'

const run = (run_id: string): CountedRun => ({
  run_id,
  kind: 'canonical',
  datasets: [],
  state: 'completed',
  planned_cells: null,
})
const runs = ['published', 'mine', 'older'].map(run)

describe('sample results', () => {
  it('open with the run of the most questions', () => {
    const small = { datasets: [{ questions: 6 }] }
    const large = { datasets: [{ questions: 4 }, { questions: 12 }] }
    expect(largestSample([small, large])).toBe(large)
    expect(largestSample<typeof small>([])).toBeUndefined()
  })

  it('are never chosen before a run of the person, however new they are', () => {
    expect(firstShown(runs, new Set(['published']))).toEqual(run('mine'))
  })

  it('are shown where there is nothing else', () => {
    expect(firstShown(runs, new Set(['published', 'mine', 'older']))).toEqual(run('published'))
    expect(firstShown<CountedRun>([], new Set(['published']))).toBeUndefined()
  })

  it('are a group of their own in a choice, and each is labelled as one when it is chosen', () => {
    expect(runChoices(['published', 'mine', 'older'], new Set(['published']))).toEqual([
      { group: 'Your runs', items: [expect.objectContaining({ value: 'mine', label: 'mine' }), expect.anything()] },
      { group: 'Sample results', items: [{ value: 'published', label: 'published (sample)' }] },
    ])
  })

  it('leave a choice without groups where there are none, or nothing else', () => {
    expect(runChoices(['mine'], new Set())).toEqual([{ value: 'mine', label: 'mine' }])
    expect(runChoices(['published'], new Set(['published']))).toEqual([
      { value: 'published', label: 'published (sample)' },
    ])
  })
})
