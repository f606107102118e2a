import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { sampleReproducibility, sampleRow, sealedLine } from '../../../tests/helpers/evidence-rows.ts'
import { fastLine } from '../../../tests/helpers/synthetic-evidence.ts'
import { rowId } from '../../evidence/rows/row-id.ts'
import { decodeLine } from '../../evidence/rows/row-line.ts'
import { cellRecord, RowParser } from './cell-record.ts'

describe('RowParser', () => {
  it('any sequence of rows is read as the evidence log reads it', () => {
    const provenances = ['a', 'b'].map((seed) => sampleReproducibility(seed))
    const cell = fc.record({
      question: fc.constantFrom('q1', 'q2', 'q3', 'q4'),
      model: fc.constantFrom('vanilla-rag', 'hybrid-rag', 'graph-rag'),
      provenance: fc.nat(1),
      answer: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('","question":{"id":"x"},"approach":', '\u0000\ud800', '"status":"error"', '}\\'),
      ),
    })
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 30 }), (cells) => {
        const parser = new RowParser()
        for (const { question, model, provenance, answer } of cells) {
          const line = sealedLine(sampleRow({ question, model, answer, reproducibility: provenances[provenance] }))
          const expected = decodeLine(line, 'full')
          const parsed = parser.parse(line)
          if (!expected.ok || !parsed.ok) throw new Error('a sealed row cannot be read')
          expect(parsed.row).toEqual(expected.row)
          expect(parsed.record).toEqual(cellRecord(expected.row))
        }
      }),
      { numRuns: 50 },
    )
  })

  it('equal members of rows are one object', () => {
    const parser = new RowParser()
    const parsed = ['q1', 'q1', 'q2', 'q2'].map((question, index) => {
      const outcome = parser.parse(sealedLine(sampleRow({ question, model: `alias-${index % 2}` })))
      if (!outcome.ok) throw new Error(outcome.problem)
      return outcome.row
    })
    // The first row was read whole; the second question was read once, so the fourth row is the first to find everything.
    expect(parsed[3]!.question).toBe(parsed[2]!.question)
    expect(parsed[3]!.reproducibility).toBe(parsed[1]!.reproducibility)
    expect(parsed[3]).toEqual(sampleRow({ question: 'q2', model: 'alias-1' }))
  })

  it('a line that the evidence log refuses is refused, also after a similar valid row', () => {
    const row = sampleRow()
    const flipped = Buffer.from(sealedLine(row))
    flipped[flipped.length >> 1]! ^= 1
    const foreignId = rowId({ run_id: 'other', dataset_id: 'x', question_id: 'q', model: 'm' })
    const withoutNewline = (value: CanonicalRow) => fastLine(value).subarray(0, -1)
    const bad = [
      flipped,
      sealedLine(row).subarray(0, -1),
      withoutNewline({ ...row, row_id: foreignId }),
      withoutNewline({ ...row, metrics: {} } as unknown as CanonicalRow),
      withoutNewline({ ...row, evidence: { answer: 7 } } as unknown as CanonicalRow),
      Buffer.from('{"checksum":"00000000"}'),
    ]
    for (const line of bad) {
      const parser = new RowParser()
      for (const before of [0, 1]) {
        const outcome = parser.parse(line)
        expect(outcome.ok, `${line.toString().slice(0, 60)} ${before}`).toBe(false)
        expect(parser.parse(sealedLine(row)).ok).toBe(true)
      }
    }
  })
})
