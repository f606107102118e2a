import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddDocumentInput } from '../../../contract/control/corpora.ts'
import { CreateDatasetInput } from '../../../contract/control/own-datasets.ts'
import { datasetId, documentName } from './send-names.ts'

describe('documentName', () => {
  it.each([
    ['Tariff 2.1 (final).pdf', 'Tariff 2.1 -final'],
    ['Gebühren/ordnung.docx', 'Gebühren-ordnung'],
    ['.pdf', 'document'],
  ])('%j becomes %j', (file, name) => expect(documentName(file)).toBe(name))

  it('is always a name that a dataset takes', () => {
    const nameSchema = AddDocumentInput.shape.name
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (file) => {
        expect(nameSchema.safeParse(documentName(file)).success).toBe(true)
      }),
    )
  })
})

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
