import { describe, expect, it } from 'vitest'
import { Tally } from './metric-tally.ts'

describe('Tally', () => {
  it('names are sorted, long names cut, and rare names pooled', () => {
    const tally = new Tally()
    for (let index = 0; index < 30; index += 1) tally.add(`r${String(index).padStart(2, '0')}`)
    tally.add('r29')
    tally.add('x'.repeat(200))
    const record = tally.toRecord()
    expect(Object.keys(record)).toHaveLength(21)
    expect(Object.keys(record)[0]).toBe('r00')
    expect(record).toMatchObject({ r29: 2, other: 11 })
    expect(Object.values(record).reduce((sum, count) => sum + count, 0)).toBe(tally.total)
  })
  it('names such as __proto__ are counted', () => {
    const tally = new Tally()
    tally.add('__proto__')
    expect(JSON.stringify(tally.toRecord())).toBe('{"__proto__":1}')
  })
})
