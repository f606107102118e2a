import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/index.ts'
import { fixtureDataset, goldenRows } from '../../tests/helpers/report-rows.ts'
import { cellRecord } from './cell-record.ts'
import { INDEX_METRICS } from './metric-columns.ts'
import { packRows, unpackRows } from './packed-rows.ts'
import type { IndexRow } from './parsed-blocks.ts'

const row: CanonicalRow = goldenRows(fixtureDataset('alpha', 'Alpha', 1))[0]!
const common = { ...cellRecord(row), question: row.question }
const figure = fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }))
const text = fc.oneof(fc.constant(null), fc.string({ unit: 'binary' }))

const packable: fc.Arbitrary<IndexRow> = fc.record({
  runId: fc.constantFrom('a', 'b'),
  dataset: fc.constant(row.dataset),
  provenance: fc.constantFrom(row.reproducibility, { ...row.reproducibility }),
  offset: fc.maxSafeNat(),
  length: fc.nat(),
  record: fc.record({
    ...{ question: fc.constantFrom(common.question, { ...common.question }), alias: fc.constant(common.alias) },
    repeat: fc.nat(),
    ...{ rowId: fc.string(), status: fc.constantFrom('ok', 'error', 'timeout'), errorType: text, reasons: text },
    ...{ evaluation: figure, queueMs: figure, latencyMs: figure, attempts: figure, serverSeconds: figure },
    ...{ totalTokens: figure, answerChars: figure, finishedMs: figure, searchable: text },
    values: fc.array(figure, { minLength: INDEX_METRICS.length, maxLength: INDEX_METRICS.length }),
    states: fc.array(fc.nat(6), { minLength: INDEX_METRICS.length, maxLength: INDEX_METRICS.length }),
    sources: fc.array(fc.record({ title: fc.string(), document: text, score: figure }), { maxLength: 3 }),
  }),
})

it('gives back what was packed, and as one object what was one', () => {
  fc.assert(
    fc.property(fc.array(packable), (rows) => {
      const there = unpackRows(structuredClone(packRows(rows)))
      expect(there).toEqual(rows)
      for (const [index, { provenance, record }] of rows.entries()) {
        expect(there[index]!.provenance === there[0]!.provenance).toBe(provenance === rows[0]!.provenance)
        expect(there[index]!.record.question === there[0]!.record.question).toBe(
          record.question === rows[0]!.record.question,
        )
      }
    }),
    { numRuns: 40 },
  )
})
