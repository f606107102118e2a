import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { aggregateWithCurrentNames } from '../../core/evidence/metric-names.ts'
import { fixtureDataset, goldenRows } from '../../tests/helpers/report-rows.ts'
import { decodeLine } from '../evidence/rows/row-line.ts'
import { verifyEvidence } from '../evidence/verify-evidence.ts'
import { aggregateOf } from '../run-index/apply/apply-aggregate.ts'
import { RowParser } from '../run-index/apply/cell-record.ts'
import { createAggregator, unsealedAggregateText } from './aggregate/aggregate-run.ts'
import { readEvidenceRows, readFigureRows } from './read-evidence.ts'
import { summaryContextFromRows } from './aggregate/run-summary.ts'
import { readAggregate } from './publication/write-artifacts.ts'

let dir: string
beforeEach(async () => {
  dir = await temporaryFolder('report-former')
})

const dataset = fixtureDataset('subset', 'Subset', 1)
const rows = goldenRows(dataset)
const inOldForm = (json: string): string => json.replaceAll('points_covered', 'gold_coverage')

/** A line as runner version 1 wrote it: former names under a checksum that holds. */
function oldLine(row: CanonicalRow): Buffer {
  const body = inOldForm(JSON.stringify(row)).slice(0, -1)
  return Buffer.from(`${body},"checksum":"${crc32(body).toString(16).padStart(8, '0')}"}`)
}

describe('rows of runner version 1', () => {
  const lines = rows.map(oldLine)
  const points = rows.map((row) => row.metrics.answer!.scores.points_covered)

  it('are read with points covered under its name of today by every reader of lines', () => {
    const parser = new RowParser()
    for (const [index, line] of lines.entries()) {
      expect(line.includes('gold_coverage')).toBe(points[index] !== undefined)
      for (const depth of ['quick', 'full'] as const)
        expect(decodeLine(line, depth)).toEqual({ ok: true, row: rows[index] })
      const parsed = parser.parse(line)
      expect(parsed).toMatchObject({ ok: true, row: rows[index] })
    }
    expect(points.filter((value) => value !== undefined).length).toBeGreaterThan(3)
  })

  it('are summed up and verified from a file as they are', async () => {
    const file = join(dir, 'x-evidence.jsonl')
    await writeFile(file, lines.map((line) => `${line.toString()}\n`).join(''))
    expect(await verifyEvidence(file)).toMatchObject({ ok: true })
    const read = await Array.fromAsync(readEvidenceRows(file))
    expect(read.map((row) => row.metrics.answer!.scores.points_covered)).toEqual(points)
    const figures = []
    for await (const some of readFigureRows(file)) figures.push(...some)
    expect(figures.map((row) => row.metrics.answer!.scores.points_covered)).toEqual(points)
  })
})

it('an aggregate with former names is read with the names of today, in scores, hops and comparisons', async () => {
  const { run_id } = rows[0]!
  const aggregator = createAggregator(summaryContextFromRows(run_id, dataset.id))
  for (const row of rows) aggregator.add(row)
  const aggregate = await aggregator.finish()
  // Files with the former names are older than verdicts.
  const text = unsealedAggregateText({ ...aggregate, verdict: undefined })
  const stored = JSON.parse(text) as Aggregate
  const file = join(dir, 'x-evaluation.json')
  await writeFile(file, inOldForm(text))
  expect(inOldForm(text)).not.toBe(text)
  expect(await readAggregate(file)).toEqual(stored)
  expect(aggregateOf(inOldForm(text), { run_id, dataset_id: dataset.id })).toEqual({ ok: true, aggregate: stored })
})

it.each([null, 1, 'text', [], { approaches: 4, comparisons: { metrics: [null] } }])(
  'a foreign value is left as it is: %j',
  (value) => {
    expect(aggregateWithCurrentNames(structuredClone(value))).toEqual(value)
  },
)
