import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evenGrid, writeTableModel } from '../../../tests/helpers/conversion/tiny-table-model.ts'
import { writePdf } from '../../../tests/helpers/conversion/writers.ts'
import { readOptions } from '../../../tests/helpers/read-options.ts'
import { readDocument } from '../work/convert-document.ts'
import { openTableModel, tablePicture } from './table-model.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'

let cacheDir: string
let folder: string
let pdf: Buffer
beforeAll(async () => {
  const table = [
    ['Crane', 'Lift (t)'],
    ['Alpha', '40'],
    ['Beta', '65'],
  ]
  const sections = [{ heading: 'Cranes', paragraphs: ['Three cranes stand on the quay.'], table }]
  pdf = await writePdf({ title: 'Quay report', sections }, { columns: 1, table: 'ruled' })
})
async function emptyFolder(): Promise<void> {
  cacheDir = await temporaryFolder('tables')
  folder = join(cacheDir, 'model')
}
beforeEach(emptyFolder)

/** Dark on the left, light on the right. */
const page = (dark = 0) => {
  const [width, height] = [100, 80]
  const pixels = Uint8Array.from({ length: width * height }, (_, at) => (at % width < 50 ? dark : 255))
  return { pixels, width, height, widthPt: 200, heightPt: 160 }
}

describe('a table model', () => {
  it.each([true, false])(
    'gives what it is sure of, in fractions of the picture (takes a mask: %s)',
    async (takesMask) => {
      const header = { label: 'table column header' as const, box: { left: 0, top: 0, right: 1, bottom: 0.25 } }
      await writeTableModel(folder, { objects: [header], takesMask })
      const model = (await openTableModel(folder))!
      const part = { left: 20, top: 0, right: 200, bottom: 80 }
      const picture = await tablePicture(page(), part, model.size)
      expect([picture.width, picture.height]).toEqual([200, 89])
      // Black, then white, less the mean over the deviation of the first and of the last colour.
      const ends = [picture.pixels[0], picture.pixels.at(-1)].map((value) => Math.round(value! * 1000) / 1000)
      expect(ends).toEqual([-2.118, 2.64])
      expect(await model.detect(picture)).toEqual([{ ...header, score: expect.closeTo(1) }])
      expect(await model.detect(await tablePicture(page(255), part, model.size))).toEqual([])
    },
  )

  it('is missing without weights, and named with its fault where they cannot be used', async () => {
    expect(await openTableModel(folder)).toBeNull()
    await writeTableModel(folder, { objects: evenGrid(2, 2) })
    const weights = join(folder, 'onnx', 'model.onnx')
    const whole = await readFile(weights)
    await writeFile(weights, whole.subarray(0, whole.length - 40))
    await expect(openTableModel(folder)).rejects.toThrow('damaged or not an ONNX model')
    await writeFile(weights, whole)
    await writeFile(join(folder, 'config.json'), '{"id2label":{"0":"table","1":"table rotated"}}')
    await expect(openTableModel(folder)).rejects.toThrow('not a model of table structure')
    await writeFile(join(folder, 'config.json'), '{')
    await expect(openTableModel(folder)).rejects.toThrow('its config.json cannot be read')
    await writeTableModel(folder, { objects: evenGrid(2, 2), kinds: 3 })
    const model = (await openTableModel(folder))!
    const picture = await tablePicture(page(), { left: 0, top: 0, right: 200, bottom: 160 }, model.size)
    await expect(model.detect(picture)).rejects.toThrow(
      'its weights give logits [1, 5, 4] and boxes [1, 5, 4] for 6 kinds of object',
    )
  })
})

describe('table_mode accurate', () => {
  const read = async () => {
    const options = { ...readOptions(cacheDir), tableMode: 'accurate', tableModelDir: folder } as const
    const { blocks, tableMode, warnings } = await readDocument(pdf, 'a.pdf', options)
    const table = blocks.find((block) => block.kind === 'table')!
    return { tableMode, warnings, cells: table.cells.map(({ text, columnSpan }) => [text, columnSpan]) }
  }
  const byRules = [
    ['Crane', 1],
    ['Lift (t)', 1],
    ['Alpha', 1],
    ['40', 1],
    ['Beta', 1],
    ['65', 1],
  ]

  it('takes rows, columns and spans from the model', async () => {
    const title = { label: 'table spanning cell' as const, box: { left: 0, top: 0, right: 1, bottom: 0.34 } }
    await writeTableModel(folder, { objects: [...evenGrid(3, 2), title] })
    const [, , ...body] = byRules
    expect(await read()).toEqual({ tableMode: 'accurate', warnings: [], cells: [['Crane Lift (t)', 2], ...body] })
  })

  it('falls back to rules, and reports why, without weights, with torn ones, with wrong ones and without a grid', async () => {
    const warning = async (): Promise<string> => {
      const { tableMode, warnings, cells } = await read()
      expect([tableMode, cells, warnings.length]).toEqual(['fast', byRules, 1])
      return warnings[0]!.replace(folder, '<folder>')
    }
    expect(await warning()).toBe('table_mode accurate: there is no table model in <folder>; tables were found by rules')
    await writeTableModel(folder, { objects: evenGrid(3, 2), kinds: 3 })
    expect(await warning()).toMatch(/<folder> cannot be used: its weights give logits/)
    await emptyFolder()
    await writeTableModel(folder, { objects: [] })
    expect(await warning()).toBe(
      'table_mode accurate: the model found no grid in 1 of 1 tables; the result of the rules was kept for them',
    )
    await emptyFolder()
    await writeTableModel(folder, { objects: [] })
    await writeFile(join(folder, 'onnx', 'model.onnx'), 'torn')
    expect(await warning()).toMatch(/<folder> cannot be used: its weights are damaged/)
  })
})
