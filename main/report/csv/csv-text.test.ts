import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvField, csvText, type CsvValue } from './csv-text.ts'

/** The smallest reader of RFC 4180: fields, quoted or not. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const field = /("(?:[^"]|"")*"|[^",\n]*)(,|\n)/gy
  for (let match = field.exec(text); match !== null && match[0] !== ''; match = field.exec(text)) {
    const [, raw = '', end] = match
    rows.at(-1)!.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    if (end === '\n') rows.push([])
  }
  return rows.slice(0, -1)
}

it.each<[CsvValue, string]>([
  [null, ''],
  [-0.125, '-0.125'],
  [true, 'true'],
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', `"'=1+1"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@sum(A1)', `"'@sum(A1)"`],
  ['  =1', `"'  =1"`],
  ['\tx', `"'\tx"`],
])('csvField: %j → %s', (value, text) => expect(csvField(value)).toBe(text))

it('csvText is read back as it was, and no text begins as a formula does', () => {
  const texts = fc.array(
    fc.tuple(fc.string(), fc.string({ unit: fc.constantFrom('=', '"', ',', '\n', '\r', 'a', '-') })),
  )
  fc.assert(
    fc.property(texts, (rows) => {
      const back = parseCsv([...csvText(['one', 'two'], rows)].join(''))
      expect(back[0]).toEqual(['one', 'two'])
      for (const [index, row] of rows.entries())
        for (const [column, text] of row.entries()) {
          const read = back[index + 1]![column]!
          expect(read === text || read === `'${text}`).toBe(true)
          expect(read).not.toMatch(/^[=+\-@\t\r\n]/)
        }
    }),
  )
})
