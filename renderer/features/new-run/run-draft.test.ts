import { describe, expect, it } from 'vitest'
import type { DatasetView, ExperimentView } from '../../../contract/control/experiment.ts'
import { chosen } from './run-draft.ts'

const dataset = (id: string, level: number, own = false, questions = 4): DatasetView =>
  ({ id, complexity_level: level, own, questions }) as DatasetView

const experimentWith = (...datasets: DatasetView[]): ExperimentView =>
  ({ datasets, aliases: [] as unknown }) as ExperimentView

describe('the dataset that a new run begins with', () => {
  const project = [dataset('smoke', 0), dataset('curated', 1)]

  it('is the first of the project above the smoke set while the person has none', () => {
    expect(chosen(experimentWith(...project), {}).datasets).toEqual(['curated'])
  })

  it('is the person’s own as soon as it has questions', () => {
    expect(chosen(experimentWith(...project, dataset('papers', 1, true)), {}).datasets).toEqual(['papers'])
    expect(chosen(experimentWith(...project, dataset('papers', 1, true, 0)), {}).datasets).toEqual(['curated'])
  })

  it('is the one that the address names, whatever the person has', () => {
    const experiment = experimentWith(...project, dataset('papers', 1, true))
    expect(chosen(experiment, { datasets: ['smoke'] }).datasets).toEqual(['smoke'])
    expect(chosen(experiment, { datasets: [] }).datasets).toEqual([])
  })
})
