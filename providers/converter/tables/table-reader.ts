import type { Block, Box, Table } from '../model/document.ts'
import type { Raster } from '../ocr/raster.ts'
import { gridTable, type WordBox } from './table-grid.ts'
import { TableModelError, tablePicture, type TableModel } from './table-model.ts'

export type { WordBox } from './table-grid.ts'

/** Reads the tables of one document again, with a model. */
export interface TableReader {
  /** The same blocks; a table that the model recognized has its rows, columns and spans, any other is unchanged. */
  read(blocks: readonly Block[], page: Raster, words: readonly WordBox[]): Promise<Block[]>
  /** Counts the tables that the model has read so far, with a sentence where any was left to the rules. */
  outcome(): { byModel: number; warning: string | null }
}

/** The model was trained on tables with some white around them. */
const MARGIN_PT = 8
/** A reading that loses letters is not a better one. */
const LEAST_KEPT = 0.98

/** `open` is called at the first table; `folder` is where the weights should be. */
export function createTableReader(folder: string, open: () => Promise<TableModel | null>): TableReader {
  let byModel = 0
  let unclear = 0
  let problem: string | null = null

  const readTable = async (table: Table, page: Raster, words: readonly WordBox[]): Promise<Table> => {
    const box = table.place?.box ?? null
    if (box === null) return ((unclear += 1), table)
    try {
      const model = await open()
      if (model === null) return ((problem = `there is no table model in ${folder}`), table)
      const part = around(box, page)
      const seen = await model.detect(await tablePicture(page, part, model.size))
      const objects = seen.map((object) => ({ ...object, box: onPage(object.box, part) }))
      const read = gridTable(
        objects,
        words.filter((word) => lies(word, box)),
        table.place,
      )
      if (read === null || letters(read) < letters(table) * LEAST_KEPT) return ((unclear += 1), table)
      byModel += 1
      return { ...read, caption: table.caption }
    } catch (error) {
      if (!(error instanceof TableModelError)) throw error
      problem = `the table model in ${folder} cannot be used: ${error.message}`
      return table
    }
  }
  return {
    async read(blocks, page, words) {
      const read: Block[] = []
      for (const block of blocks) read.push(block.kind === 'table' ? await readTable(block, page, words) : block)
      return read
    },
    outcome: () => ({ byModel, warning: warningOf(problem, unclear, byModel) }),
  }
}

function warningOf(problem: string | null, unclear: number, byModel: number): string | null {
  if (problem !== null) return `table_mode accurate: ${problem}; tables were found by rules`
  if (unclear === 0) return null
  return `table_mode accurate: the model found no grid in ${unclear} of ${unclear + byModel} tables; the result of the rules was kept for them`
}

const around = ({ left, top, right, bottom }: Box, { widthPt, heightPt }: Raster): Box => ({
  left: Math.max(0, left - MARGIN_PT),
  top: Math.max(0, top - MARGIN_PT),
  right: Math.min(widthPt, right + MARGIN_PT),
  bottom: Math.min(heightPt, bottom + MARGIN_PT),
})

function onPage(box: Box, part: Box): Box {
  const width = part.right - part.left
  const height = part.bottom - part.top
  return {
    left: part.left + box.left * width,
    top: part.top + box.top * height,
    right: part.left + box.right * width,
    bottom: part.top + box.bottom * height,
  }
}

const lies = ({ x, y, width, height }: WordBox, { left, top, right, bottom }: Box): boolean =>
  x + width / 2 >= left && x + width / 2 <= right && y + height / 2 >= top && y + height / 2 <= bottom

const letters = ({ cells }: Table): number =>
  cells.reduce((sum, { text }) => sum + text.replaceAll(/\s/g, '').length, 0)
