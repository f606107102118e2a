import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aggregateText } from '../../../main/report/aggregate/aggregate-run.ts'
import { aggregateRun } from '../../helpers/aggregate-run.ts'
import { datasetReport } from '../../../main/report/markdown/dataset-report.ts'
import { ladderPage } from '../../../main/report/html/ladder-page.ts'
import { ladderMarkdown } from '../../../main/report/markdown/ladder-markdown.ts'
import { longCsv } from '../../../main/report/csv/long-csv.ts'
import { renderMatrixTable } from '../../../main/report/terminal/matrix-table.ts'
import { resultsIndex } from '../../../main/report/publication/results-index.ts'
import { matrixText, toMatrix } from '../../helpers/matrix-in-memory.ts'
import { expectGolden } from '../../helpers/golden-file.ts'
import {
  comparedContext,
  comparedRows,
  fixtureDataset,
  goldenContext,
  goldenJudgments,
  goldenRows,
  REPORT_RUN,
  streamOf,
  wideDataset,
} from '../../helpers/report-rows.ts'

const first = fixtureDataset('subset', 'Curated subset', 1)
const second = fixtureDataset('graph_native', 'Graph-native dossiers', 2)
const judged = await aggregateRun(streamOf(goldenRows(first)), {
  ...goldenContext(first),
  judge: { state: 'read', judgments: goldenJudgments(first) },
})
const unjudged = await aggregateRun(streamOf(goldenRows(second)), {
  ...goldenContext(second),
  judge: { state: 'unusable', reason: 'missing', message: 'x-judgments.json: the file is missing' },
})
const third = wideDataset('wide', 'Wide enough to decide', 3)
const repeated = comparedRows(third, 2)
const compared = await aggregateRun(streamOf(repeated), {
  ...comparedContext(third, 2),
  judge: { state: 'read', judgments: goldenJudgments(third) },
})
const repeatedMatrix = await toMatrix(streamOf(repeated), {
  runId: REPORT_RUN,
  datasetId: third.id,
  models: compared.approaches.map(({ model }) => model),
  questionIds: compared.questions.map(({ id }) => id),
})
const ladder = [compared, unjudged, judged]
const artifacts = ladder.map(({ dataset }) => ({
  datasetId: dataset.id,
  href: `${REPORT_RUN}-${dataset.id}-evaluation.json`,
  sha256: 'b'.repeat(64),
}))
const matrix = await toMatrix(streamOf(goldenRows(first)), {
  runId: REPORT_RUN,
  datasetId: first.id,
  models: judged.approaches.map(({ model }) => model),
  questionIds: judged.questions.map(({ id }) => id),
})
const catalogueEntry = (id: string, label: string, rung: number) => ({
  id,
  label,
  description: 'Invented, for tests.',
  complexity_level: rung,
  corpus_path: `corpus/${id}`,
  queries_file: `manifests/queries/${id}.yaml`,
  ingestion_profile: id,
})

describe('golden files of the report', () => {
  it('aggregate', () => expectGolden('report/evaluation.json', aggregateText(judged)))
  it('aggregate with decisions and repetitions', () =>
    expectGolden('report/evaluation-compared.json', aggregateText(compared)))
  it('matrix', () => expectGolden('report/matrix.json', [...matrixText(matrix)].join('')))
  it('long CSV', () =>
    expectGolden('report/long.csv', [...longCsv({ aggregates: ladder, snapshots: [] })].join('')))
  it('terminal matrix', () => expectGolden('report/matrix-table.txt', renderMatrixTable(ladder)))
  it('terminal matrix with colours', () =>
    expectGolden('report/matrix-table-color.txt', renderMatrixTable([compared], { color: true, columns: 120 })))
  it('dataset report', () =>
    expectGolden(
      'report/dataset-report.md',
      datasetReport({
        dataset: catalogueEntry(first.id, first.label, 1),
        aggregate: judged,
        failed: matrix.cells.filter((cell) => !cell.ok),
        artifacts: [{ name: `${REPORT_RUN}-subset-matrix.json`, sha256: 'a'.repeat(64), sizeBytes: 12_345 }],
      }),
    ))
  it('dataset report with decisions and repetitions', () =>
    expectGolden(
      'report/dataset-report-compared.md',
      datasetReport({
        dataset: catalogueEntry(third.id, third.label, 3),
        aggregate: compared,
        failed: repeatedMatrix.cells.filter((cell) => !cell.ok),
        artifacts: [],
      }),
    ))
  it('ladder report in Markdown', () => expectGolden('report/ladder.md', ladderMarkdown(ladder, artifacts)))
  it('ladder report as a page', async () =>
    expectGolden('report/ladder.html', await ladderPage({ aggregates: ladder, artifacts })))
  it('index of results', () =>
    expectGolden(
      'report/results-index.md',
      resultsIndex([
        { dataset: catalogueEntry('later', 'Not yet', 4), aggregate: null },
        { dataset: catalogueEntry(third.id, third.label, 3), aggregate: compared },
        { dataset: catalogueEntry(second.id, second.label, 2), aggregate: unjudged },
        { dataset: catalogueEntry(first.id, first.label, 1), aggregate: judged },
      ]),
    ))
})

it.each(['dataset-report.md', 'dataset-report-compared.md', 'ladder.md', 'ladder.html', 'results-index.md'])(
  '%s writes of answers and levels, not of cells and rungs',
  (name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8').replace(/<(style|script)\b.*?<\/\1>|<[^>]+>/gs, ' ')
    expect(text.match(/\b(?:cells?|rungs?|who|clock|anew|rehearsal)\b.{0,40}/gi)).toBeNull()
  },
)
