import { utils, write, type WorkBook } from '@e965/xlsx'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import * as pptx from 'pptxgenjs'
import { Document as Docx, Packer, Paragraph, TextRun } from 'docx'
import { expect, it } from 'vitest'
import { toMarkdown } from '../export/markdown.ts'
import { readDocx } from './docx.ts'
import { readHtml } from './html.ts'
import { readPptx } from './pptx.ts'
import { readXlsx } from './xlsx.ts'

const xlsx = (book: WorkBook): Uint8Array =>
  new Uint8Array(write(book, { type: 'array', bookType: 'xlsx', cellStyles: true }) as ArrayBuffer)

it('xlsx: hidden sheets, rows and columns are left out and counted; what is shown keeps its table', () => {
  const shown = utils.aoa_to_sheet([
    ['Name', 'Secret', 'Value'],
    ['alpha', 'hidden column', 1],
    ['hidden row', 'x', 2],
    ['gamma', 'y', 3],
  ])
  shown['!cols'] = [{}, { hidden: true }, {}]
  shown['!rows'] = [{}, {}, { hidden: true }]
  const book = {
    SheetNames: ['Shown', 'Hidden', 'Very hidden'],
    Sheets: { Shown: shown, Hidden: utils.aoa_to_sheet([['a']]), 'Very hidden': utils.aoa_to_sheet([['b']]) },
    Workbook: { Sheets: [{}, { Hidden: 1 as const }, { Hidden: 2 as const }] },
  }
  const document = readXlsx(xlsx(book))
  expect(toMarkdown(document)).toBe('## Shown\n\n| Name | Value |\n| --- | --- |\n| alpha | 1 |\n| gamma | 3 |\n')
  expect(document.warnings).toEqual(['hidden and left out: 2 sheets, 1 row, 1 column'])
})

it('xlsx: a merged cell whose first column is hidden keeps its value', () => {
  const sheet = utils.aoa_to_sheet([
    ['Both', null, 'Third'],
    ['a', 'b', 'c'],
  ])
  sheet['!merges'] = [{ s: { r: 0, c: 0 }, e: { r: 0, c: 1 } }]
  sheet['!cols'] = [{ hidden: true }]
  const document = readXlsx(xlsx({ SheetNames: ['S'], Sheets: { S: sheet } }))
  expect(toMarkdown(document)).toContain('| Both | Third |\n| --- | --- |\n| b | c |')
})

it('xlsx: formulas that were never computed and formats that cannot be applied are named in warnings', () => {
  const sheet = utils.aoa_to_sheet([['Sum', 5]])
  const parts = unzipSync(xlsx({ SheetNames: ['S'], Sheets: { S: sheet } }))
  const name = 'xl/worksheets/sheet1.xml'
  const xml = strFromU8(parts[name]!)
  const cells =
    '<c r="C1"><f>SUM(B1:B9)</f></c><c r="D1" t="str"><f>A1&amp;B1</f><v></v></c><c r="E1"><f>1+1</f><v>2</v></c>'
  parts[name] = strToU8(xml.replace('</row>', `${cells}</row>`))
  const document = readXlsx(zipSync(parts))
  expect(toMarkdown(document)).toContain('| Sum | 5 |  |  | 2 |')
  expect(document.warnings).toEqual([
    '2 formulas without a stored value left out (first in C1): open the workbook in a spreadsheet program and save it',
  ])
})

it('xlsx: dates, percentages and long numbers are shown in full, whatever program wrote their format', () => {
  const sheet = utils.aoa_to_sheet([[46096, 0.075, 1234567890123, 46096]])
  for (const [address, format] of [
    ['A1', 'dd.mm.yyyy'],
    ['B1', '0.0 %'],
    ['D1', 'm/d/yy'],
  ] as const)
    sheet[address].z = format
  const document = readXlsx(xlsx({ SheetNames: ['S'], Sheets: { S: sheet } }))
  expect(toMarkdown(document)).toContain('| 15.03.2026 | 7.5 % | 1234567890123 | 2026-03-15 |')
  expect(document.warnings).toEqual([])
})

it('pptx: hidden slides are left out and counted', async () => {
  const PptxGenJS = pptx.default as unknown as typeof pptx.default.default
  const show = new PptxGenJS()
  for (const text of ['shown', 'secret', 'shown too']) {
    const slide = show.addSlide()
    slide.hidden = text === 'secret'
    slide.addText(text, { x: 1, y: 1, w: 6, h: 1 })
  }
  const document = readPptx((await show.write({ outputType: 'nodebuffer' })) as Buffer)
  expect(toMarkdown(document)).toBe('shown\n\nshown too\n')
  expect([document.pages.length, document.warnings]).toEqual([3, ['1 hidden slide was left out (2)']])
})

it('docx: hidden runs and text of hidden styles are left out and counted', async () => {
  const document = new Docx({
    styles: {
      characterStyles: [{ id: 'Secret', name: 'Secret', run: { vanish: true } }],
      paragraphStyles: [{ id: 'SecretLine', name: 'Secret line', run: { vanish: true } }],
    },
    sections: [
      {
        children: [
          new Paragraph({ children: [new TextRun({ text: 'hidden ', vanish: true }), new TextRun('Shown.')] }),
          new Paragraph({ children: [new TextRun({ text: 'hidden ', style: 'Secret' }), new TextRun('Shown too.')] }),
          new Paragraph({ style: 'SecretLine', children: [new TextRun('hidden line')] }),
        ],
      },
    ],
  })
  const read = await readDocx(await Packer.toBuffer(document))
  expect(toMarkdown(read)).toBe('Shown.\n\nShown too.\n')
  expect(read.warnings).toEqual(['hidden text was left out in 3 places'])
})

it('html: what a browser does not show is left out and counted', () => {
  const page =
    '<p hidden>a</p><p style="color:red;display: none">b</p><div style="visibility:hidden"><p>c</p></div><p hidden="until-found">found</p><p style="display:none"></p><table><tr hidden><td>d<tr><td>x</table>'
  const document = readHtml(page, 'html')
  expect(toMarkdown(document)).toBe('found\n\n|  |\n| --- |\n| x |\n')
  expect(document.warnings).toEqual(['4 hidden parts were left out'])
})

it('html: what a style sheet of the page hides is left out and counted; what may be shown is kept', () => {
  const page = `<style>/* .kept {display:none} */ @import 'x.css'; .gone, p#menu { color: red; DISPLAY : none } P.dim{visibility:hidden}
      @media print { .screen { display: none } } .tab { display: none } ul > .tab.active, .tip:hover { display: block }
      .tip { display: none } article .deep { display: none }</style><style media="print">.paper { display: none }</style>
    <p class="kept">kept</p><p class="a gone">a</p><p id="menu">b</p><div id="menu">div</div><p class="dim">c</p><span class="dim">dim</span>
    <p class="screen">screen</p><p class="paper">paper</p><p class="tab">d</p><p class="tab active">active</p><p class="tip">tip</p>
    <article><p class="deep">deep</p></article><p class="gone" style="display:block">inline</p>`
  const document = readHtml(page, 'html')
  expect(toMarkdown(document).split(/\s+/).filter(Boolean)).toEqual(
    'kept div dim screen paper active tip deep inline'.split(' '),
  )
  expect(document.warnings).toEqual(['4 hidden parts were left out'])
})

it('html: an element that ends itself in XHTML does not swallow the page', () => {
  const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><p>Text<br/>here</p></body></html>`
  expect(toMarkdown(readHtml(page, 'html'))).toBe('Text here\n')
})
