import { SSF } from '@e965/xlsx'
import { expect, it } from 'vitest'
import { cellText } from './spreadsheet-cell.ts'

const format = SSF.format as (format: string, value: number, options: { date1904: boolean }) => string
const shown = (v: number, z: string, date1904 = false) => cellText({ t: 'n', v, z }, format, date1904)

it.each([
  [46096, 'dd.mm.yyyy', '15.03.2026'],
  [46096, 'dd\\.mm\\.yyyy', '15.03.2026'],
  [46096, 'yyyy.mm.dd', '2026.03.15'],
  [46096, 'dd. mmm yyyy', '15. Mar 2026'],
  [46096.4375, 'd.m.yyyy h:mm', '15.3.2026 10:30'],
  [46096.4375, 'dd.mm.yyyy hh:mm:ss.00', '15.03.2026 10:30:00.00'],
  [46096, 'yyyy年m月d日', '2026年3月15日'],
  [46096, 'd "de" mmmm', '15 de March'],
  [46096, 'm/d/yy', '2026-03-15'],
  [46096.4375, 'm/d/yy h:mm', '2026-03-15 10:30'],
  [0.075, '0 %', '8 %'],
  [0.075, '0.0 %', '7.5 %'],
  [0.075, '0.00\\ %', '7.50 %'],
  [0.075, '0.0%', '7.5%'],
  [-0.075, '0.0 %;[Red]-0.0 %', '-7.5 %'],
  [12.5, '0.0 м²', '12.5 м²'],
  [1234.5, '#,##0.00 Kč', '1,234.50 Kč'],
  [1234567890123, 'General', '1234567890123'],
  [123456789012.25, 'General', '123456789012.25'],
  [0.1 + 0.2, 'General', '0.3'],
  [-0.000012, 'General', '-0.000012'],
  [7, '0000', '0007'],
])('%d in the format %s is shown as %s', (value, pattern, text) => {
  expect(shown(value, pattern)).toEqual({ text, isFormatted: true })
})

it('dates count from 1904 where the workbook says so', () => {
  expect(shown(44634, 'dd.mm.yyyy', true).text).toBe('15.03.2026')
})

it('a format that cannot be applied leaves the date or the number, and reports it', () => {
  const broken = (pattern: string) => {
    if (pattern !== 'yyyy-mm-dd hh:mm:ss') throw new Error('unsupported format')
    return '2026-03-15 00:00:00'
  }
  expect(cellText({ t: 'n', v: 46096, z: 'dd/mm' }, broken)).toEqual({ text: '2026-03-15', isFormatted: false })
  expect(cellText({ t: 'n', v: 0.075, z: '0.0%' }, broken)).toEqual({ text: '7.5%', isFormatted: false })
  expect(cellText({ t: 'n', v: 1e13, z: '0.0' }, broken)).toEqual({ text: '10000000000000', isFormatted: false })
})

it('texts, truth values and errors are what the file shows', () => {
  expect(cellText({ t: 's', v: '0014', w: '0014' }, format).text).toBe('0014')
  expect(cellText({ t: 'b', v: true, w: 'TRUE' }, format).text).toBe('TRUE')
  expect(cellText({ t: 'e', v: 7, w: '#DIV/0!' }, format).text).toBe('#DIV/0!')
  expect(cellText({ t: 'z' }, format).text).toBe('')
})
