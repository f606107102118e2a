import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { aggregateRun, allMetrics } from '../../../tests/helpers/aggregate-run.ts'
import {
  ALIASES,
  evaluation,
  fixtureDataset,
  fixtureRow,
  goldenContext,
  REPORT_RUN,
  streamOf,
  type CellFixture,
} from '../../../tests/helpers/report-rows.ts'
import { aggregateText } from './aggregate-run.ts'
import { summaryContextFromRows } from './run-summary.ts'

const dataset = fixtureDataset('subset', 'Subset', 1)

const cellFixture: fc.Arbitrary<CellFixture | null> = fc.option(
  fc.record(
    {
      latencyMs: fc.double({ min: 0, max: 1e5, noNaN: true }),
      attempts: fc.integer({ min: 1, max: 3 }),
      recall: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      failure: fc.option(
        fc.constantFrom({ type: 'timeout' as const, message: 't' }, { type: 'http_error' as const, message: 'h' }),
        { nil: undefined },
      ),
      ragas: fc.oneof(
        fc.record({ faithfulness: fc.double({ min: -1, max: 1, noNaN: true }) }).map((scores) => evaluation(scores)),
        fc
          .constantFrom('timeout' as const, 'invalid_response' as const)
          .map((error_type) => evaluation({}, { error_type })),
        fc
          .constantFrom('timed out', 'score_not_numeric')
          .map((word) => evaluation({}, { metric_errors: { faithfulness: word } })),
        fc.constant(evaluation({}, { status: 'disabled' as const })),
        fc.constant(
          evaluation({}, { status: 'not_evaluable', not_evaluable: { faithfulness: 'retrieved_contexts_required' } }),
        ),
      ),
    },
    { requiredKeys: [] },
  ),
)

describe('an aggregate of any rows', () => {
  const aliases = [ALIASES.vanilla, ALIASES.hybrid, ALIASES.graph]
  const cells = fc.array(cellFixture, { minLength: 24, maxLength: 24 })
  const rowsOf = (fixtures: (CellFixture | null)[]): CanonicalRow[] =>
    fixtures.flatMap((fixture, index) =>
      fixture === null ? [] : [fixtureRow(dataset, aliases[index % 3]!, Math.floor(index / 3), fixture)],
    )
  const context = { ...goldenContext(dataset), aliases, unavailable: [] }

  it('counts add up, and there is a mean exactly when a cell was scored', async () => {
    await fc.assert(
      fc.asyncProperty(cells, async (fixtures) => {
        const result = Aggregate.parse(await aggregateRun(streamOf(rowsOf(fixtures)), context))
        for (const metric of allMetrics(result)) {
          expect(metric.expected).toBe(8)
          expect(metric.mean === null).toBe(metric.scored === 0)
        }
        for (const each of result.approaches) {
          expect(each.cells.ok + each.cells.error + each.cells.timeout + each.cells.missing).toBe(8)
          const hops = each.by_hops.reduce((sum, group) => sum + group.ragas.faithfulness!.n, 0)
          expect(hops).toBe(each.ragas.faithfulness!.scored)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('the order of the rows does not change a byte of the aggregate', async () => {
    const shuffled = cells.chain((fixtures) => {
      const rows = rowsOf(fixtures)
      return fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))
    })
    await fc.assert(
      fc.asyncProperty(shuffled, fc.boolean(), async ([rows, other], known) => {
        fc.pre(rows.length > 0)
        const used = known ? context : summaryContextFromRows(REPORT_RUN, dataset.id)
        expect(aggregateText(await aggregateRun(streamOf(other), used))).toBe(
          aggregateText(await aggregateRun(streamOf(rows), used)),
        )
      }),
      { numRuns: 60 },
    )
  })
})
