import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RECORD_BYTES, RowIndex } from './row-index.ts'

const idOf = (cell: number): string => createHash('sha256').update(String(cell)).digest('hex')
const partsOf = (cell: number): Buffer[] => [1, 2, 3].map((part) => Buffer.alloc(16, (cell * part) % 251))

describe('RowIndex', () => {
  it('behaves as a map that refuses a second row of one id', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 3000 }), (cells) => {
        const index = new RowIndex()
        const model = new Map<number, number>()
        for (const [position, cell] of cells.entries()) {
          const isNew = !model.has(cell)
          expect(index.add(idOf(cell), { offset: position * 5e9, length: position }, partsOf(cell))).toBe(isNew)
          if (isNew) model.set(cell, position)
        }
        const reloaded = RowIndex.fromRecords(Buffer.from(index.recordsFrom(0)))!
        for (const same of [index, reloaded]) {
          expect(same.count).toBe(model.size)
          expect(same.find(idOf(-1))).toBe(-1)
          for (const [ordinal, [cell, position]] of [...model].entries()) {
            expect(same.find(idOf(cell))).toBe(ordinal)
            expect(same.rowIdOf(ordinal)).toBe(idOf(cell))
            expect(same.rangeOf(ordinal)).toEqual({ offset: position * 5e9, length: position })
            expect(partsOf(cell).every((part, number) => same.hasPart(ordinal, number, part))).toBe(true)
            expect(same.hasPart(ordinal, 0, Buffer.alloc(16, 252))).toBe(false)
          }
        }
      }),
      { numRuns: 5 },
    )
  })

  it('finds nothing under what is no row id', () => {
    const index = new RowIndex()
    index.add(idOf(1), { offset: 0, length: 1 }, partsOf(1))
    for (const text of ['', 'q1', idOf(1).slice(0, 62), `${idOf(1).slice(0, 62)}zz`]) expect(index.find(text)).toBe(-1)
  })

  it('does not take over records that hold one row twice', () => {
    const index = new RowIndex()
    index.add(idOf(1), { offset: 0, length: 1 }, partsOf(1))
    const record = index.recordsFrom(0)
    expect(record.length).toBe(RECORD_BYTES)
    expect(RowIndex.fromRecords(Buffer.concat([record, record]))).toBeNull()
  })
})
