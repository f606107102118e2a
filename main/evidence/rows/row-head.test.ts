import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failedRow, sampleRow, sealedLine } from '../../../tests/helpers/evidence-rows.ts'
import { HeadReader } from './row-head.ts'
import { rowId, rowKeyOf } from './row-id.ts'
import { fingerprint, IDENTITY_PARTS } from './row-identity.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'

const expected = (row: CanonicalRow) => {
  const { run_id: runId, row_id, status, repeat = 1, retry = 0 } = row
  const key = { ...rowKeyOf(row), repeat, retry }
  const parts = IDENTITY_PARTS.map((part) => fingerprint(row[part]))
  return { ok: true, head: { runId, rowId: row_id, key, isFinal: status === 'ok', parts } }
}

describe('HeadReader', () => {
  it('reads whether a row has an answer and how often its cell had failed', () => {
    for (const row of [failedRow(), failedRow({ retry: 2 }), sampleRow({ retry: 3 })])
      expect(new HeadReader().read(sealedLine(row))).toEqual(expected(row))
  })

  it('reads of any written row what a full parse would read', () => {
    const heads = new HeadReader()
    const member = fc.constantFrom('reproducibility', 'status', 'approach', '},"status":"', '\\"', '{[', 'k')
    fc.assert(
      fc.property(fc.dictionary(member, fc.jsonValue()), member, fc.string(), (parameters, query, model) => {
        const row = sampleRow()
        row.approach.parameters = JSON.parse(JSON.stringify(parameters)) as never
        row.question.query = query
        row.reproducibility.runtime.providers = { [query]: model }
        const line = sealedLine(row)
        expect(heads.read(line)).toEqual(expected(JSON.parse(line.toString()) as CanonicalRow))
      }),
      // A name that JSON may have and that no object keeps.
      { examples: [[JSON.parse('{"k":{"__proto__":0}}') as Record<string, never>, 'k', '']] },
    )
  })

  it('is not confused by a section that begins like the one before it', () => {
    const heads = new HeadReader()
    for (const query of ['a', 'ab', 'a', 'a"}', 'b']) {
      const row = sampleRow()
      row.question.query = query
      expect(heads.read(sealedLine(row))).toEqual(expected(row))
    }
  })

  it('reads the repetition, which is part of the id', () => {
    const row = { ...sampleRow(), repeat: 3 }
    row.row_id = rowId(rowKeyOf(row))
    const line = sealedLine(row)
    expect(line.toString()).toContain(`"row_id":"${row.row_id}","repeat":3,"dataset":`)
    expect(new HeadReader().read(line)).toEqual(expected(row))
    const forged = Buffer.from(line.toString().replace('"repeat":3', '"repeat":4'))
    expect(new HeadReader().read(forged)).toMatchObject({ ok: false })
    expect(new HeadReader().read(Buffer.from(line.toString().replace(',"repeat":3', '')))).toMatchObject({ ok: false })
  })

  it('reads rows whose fields have another order or that carry no checksum', () => {
    const row = sampleRow()
    const { run_id, ...rest } = row
    const heads = new HeadReader()
    expect(heads.read(Buffer.from(JSON.stringify({ ...rest, run_id })))).toEqual(expected(row))
  })

  it('refuses a row id that is not the cell’s', () => {
    const line = sealedLine(sampleRow()).toString()
    const forged = line.replace('"question":{"id":"q001"', '"question":{"id":"q002"')
    expect(new HeadReader().read(Buffer.from(forged))).toMatchObject({ ok: false })
  })
})
