import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import { comparedContext, comparedRows, streamOf, wideDataset } from '../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../tests/helpers/aggregate-run.ts'
import { datasetReport } from './markdown/dataset-report.ts'
import { ladderPage } from './html/ladder-page.ts'
import { ladderMarkdown } from './markdown/ladder-markdown.ts'
import { renderMatrixTable } from './terminal/matrix-table.ts'

const dataset = wideDataset('alpha', 'Alpha', 1)
const plain = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
/** The flavor of the fixture under the name of the keyword baseline. */
const aggregate = JSON.parse(JSON.stringify(plain).replaceAll('hybrid-rag-fast', 'bm25')) as Aggregate

const rowsIn = (text: string): string[] => text.split('\n').filter((line) => /^\|.*\bbm25\b/.test(line))

describe('the keyword baseline is marked as what an approach has to beat', () => {
  it('in every row of the terminal that names it, and in its legend', () => {
    const text = renderMatrixTable([aggregate, { ...aggregate, run_id: 'other' }], { columns: 160 })
    const rows = text.split('\n').filter((line) => /^\S+ bm25(?!:)/.test(line))
    expect(rows.length).toBeGreaterThan(2)
    for (const row of rows) expect(row).toContain('bm25 (baseline)')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('baseline: keyword search alone')
    expect(renderMatrixTable([plain])).not.toContain('(baseline)')
  })

  it('in every table of the Markdown reports', () => {
    const named = { id: dataset.id, label: dataset.label, description: '' }
    const report = datasetReport({ dataset: named, aggregate, failed: [], artifacts: [] })
    const rows = [...rowsIn(report), ...rowsIn(ladderMarkdown([aggregate], []))].filter((row) =>
      row.startsWith('| `bm25`'),
    )
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(row).toContain('`bm25` (baseline)')
    expect(report).toContain('`bm25` (baseline): keyword search alone')
  })

  it('in every table of the page', async () => {
    const page = await ladderPage({ aggregates: [aggregate], artifacts: [] })
    expect(page).toContain('<span>bm25 (baseline)</span>')
    expect(page).not.toContain('<span>bm25</span>')
  })
})
