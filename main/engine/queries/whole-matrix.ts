import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { ControlFailure } from '../control-failure.ts'

export interface MatrixOf {
  run_id: string
  dataset_id: string
  metric: IndexMetric
  aliases?: string[]
}

interface WholeMatrix {
  revision: number
  aliases: string[]
  rows: MatrixPageRow[]
}

const PAGE_ROWS = 500
const MAX_TRIES = 3

/** Every question of a dataset run, put together from pages of one revision of the index. Rejects with `index_busy` when it keeps changing. */
export async function wholeMatrix(index: RunIndexApi, of: MatrixOf): Promise<WholeMatrix> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const matrix = await readPages(index, of)
    if (matrix !== null) return matrix
  }
  throw new ControlFailure('index_busy', 'the index keeps changing while it is read: try again', undefined, true)
}

async function readPages(index: RunIndexApi, of: MatrixOf): Promise<WholeMatrix | null> {
  const rows: MatrixPageRow[] = []
  let revision: number | null = null
  for (;;) {
    const { page } = await index.query('matrixPage', { ...of, offset: rows.length, limit: PAGE_ROWS })
    if (revision !== null && page.revision !== revision) return null
    revision = page.revision
    rows.push(...page.rows)
    if (rows.length >= page.matching || page.rows.length === 0) return { revision, aliases: page.aliases, rows }
  }
}
