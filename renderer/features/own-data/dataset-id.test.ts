import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CreateDatasetInput } from '../../../contract/control/own-datasets.ts'
import { datasetId } from './dataset-id.ts'

describe('datasetId', () => {
  it.each([
    ['My harbour: fees', 'my_harbour_fees'],
    ['Größe 2', 'gro_e_2'],
    ['2024 papers', 'd_2024_papers'],
    ['東京', ''],
  ])('%j becomes %j', (label, id) => expect(datasetId(label)).toBe(id))

  it('is empty or an id that the engine takes', () => {
    const idSchema = CreateDatasetInput.shape.id
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (label) => {
        const id = datasetId(label)
        expect(id === '' || idSchema.safeParse(id).success).toBe(true)
      }),
    )
  })
})
