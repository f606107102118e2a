import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerptOf, textQuery, wholeCharacters } from './text-query.ts'

const db = new Database(':memory:')
db.exec(`CREATE VIRTUAL TABLE t USING fts5 (text, content = '', contentless_delete = 1)`)
const texts = [
  'The canal lock rises',
  'A lock for the canal',
  'Die Schleuse hebt sich um 4 m',
  'locksmith NOT here OR there',
]
texts.forEach((text, index) => db.prepare('INSERT INTO t (rowid, text) VALUES (?, ?)').run(index, text))
const match = db.prepare<[string], number>('SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid').pluck()
const found = (text: string): number[] => {
  const query = textQuery(text)
  return query === null ? [] : match.all(query)
}

describe('textQuery', () => {
  it.each<[string, number[]]>([
    ['lock', [0, 1, 3]],
    ['lock ', [0, 1]],
    ['canal lock', [0, 1]],
    ['"canal lock"', [0]],
    ['"the canal"', [0, 1]],
    ['NOT here', [3]],
    ['schleuse 4', [2]],
    ['here OR', [3]],
    ['...', []],
    ['" "', []],
    ['', []],
  ])('%j finds %j', (text, rows) => {
    expect(found(text)).toEqual(rows)
  })

  it('any text becomes a query that SQLite accepts', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '*', 'NEAR(', ')', '-', ':', 'AND', 'text:', '^', '\0'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        expect(() => found(parts.join(' '))).not.toThrow()
        expect(() => found(parts.join(''))).not.toThrow()
      }),
    )
  })
})

it('an excerpt shows the text around a found word', () => {
  const text = `${'x '.repeat(300)}the Keeper\nnotes it ${'y '.repeat(300)}`
  expect(excerptOf(text, '"the keeper"')).toContain('the Keeper notes it')
  expect(excerptOf(text, 'keep')).toMatch(/^….*…$/)
  expect(excerptOf('short', 'absent')).toBe('short')
})

it('a cut never splits a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), fc.nat(40), (text, start, length) => {
      const { start: from, end } = wholeCharacters(text, start, start + length)
      expect(text.slice(from, end).isWellFormed()).toBe(true)
      expect(end - from).toBeGreaterThanOrEqual(Math.min(length, text.length - start) - 1)
    }),
  )
})
