import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { sampleReproducibility, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { InternedRows } from './interned-rows.ts'
import { sealRow } from './row-line.ts'

function sealed(row: CanonicalRow): { row: CanonicalRow; line: Buffer } {
  const outcome = sealRow(row)
  if (!outcome.ok) throw new Error(outcome.problem)
  return { row: outcome.row, line: outcome.line.subarray(0, -1) }
}

const METRICS_TEXT = ',"metrics":{"operational":{"latency_ms":1}},"error":null}'

describe('InternedRows', () => {
  it('reads rows whole and for their figures as JSON does, whatever the answers hold', () => {
    const provenances = ['a', 'b'].map((seed) => sampleReproducibility(seed))
    const cell = fc.record({
      question: fc.constantFrom('q1', 'q2', 'q3', 'q4'),
      model: fc.constantFrom('vanilla-rag', 'hybrid-rag'),
      provenance: fc.nat(1),
      answer: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(METRICS_TEXT, ',"evidence":null', '","approach":{}', '\u0000\ud800'),
      ),
    })
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 8 }), (cells) => {
        const rows = new InternedRows()
        for (const [place, { question, model, provenance, answer }] of cells.entries()) {
          const made = sampleRow({ question, model, answer, reproducibility: provenances[provenance] })
          const { row, line } = sealed(made)
          if (place === 0) {
            expect(rows.read(line)).toBeNull()
            rows.learn(row, line)
          }
          const { evidence: _, ...figures } = row
          expect(rows.read(line)).toEqual(row)
          expect(rows.readFigures(line)).toEqual(figures)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('reads the text handed over from the start of the evidence, without the texts', () => {
    const rows = new InternedRows()
    const made = sampleRow({ question: 'q1', model: 'vanilla-rag' })
    const handed = { context_tokens: 1234, context_tokens_by: 'estimate, "quoted"' }
    const retrieval = { ...made.metrics.retrieval, budget_curve: [0, 0.5, 1, 1, 1] }
    const { row, line } = sealed({
      ...made,
      evidence: { ...handed, ...made.evidence! },
      metrics: { ...made.metrics, retrieval },
    })
    rows.learn(row, line)
    const expected = { tokens: 1234, by: 'estimate, "quoted"', curve: [0, 0.5, 1, 1, 1] }
    expect(rows.readFigures(line)!.handed).toEqual(expected)
    const failed = sealed({ ...made, status: 'error', evidence: null })
    expect(rows.readFigures(failed.line)!.handed).toBeNull()
  })

  it('leaves a line to be read whole when the member is nested deeper', () => {
    const rows = new InternedRows()
    const first = sealed(sampleRow({ question: 'q1', model: 'vanilla-rag' }))
    rows.learn(first.row, first.line)
    const { row } = first
    const deep = { metrics: { operational: {} } }
    const metrics = { ...row.metrics, ragas: { ...row.metrics.ragas, metadata: { deep: [1, deep] } } }
    const nested = Buffer.from(JSON.stringify({ ...row, metrics }).replace('[1,{"metrics"', '[{"a":1,"metrics"'))
    expect(nested.lastIndexOf(',"metrics":{"operational":')).toBeGreaterThan(nested.indexOf('"ragas"'))
    expect(rows.readFigures(nested)).toBeNull()
    expect(rows.readFigures(Buffer.from('{"schema_version":1}'))).toBeNull()
  })
})
