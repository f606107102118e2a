import { write } from '@e965/xlsx'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { Document as Docx, FootnoteReferenceRun, Packer, Paragraph, TextRun } from 'docx'
import * as pptx from 'pptxgenjs'
import { toMarkdown } from '../export/markdown.ts'
import { readDocx } from './docx.ts'
import { readHtml } from './html.ts'
import { readPptx } from './pptx.ts'
import { readXlsx } from './xlsx.ts'

const html = (body: string): string => toMarkdown(readHtml(body, 'html')).trim()

it.each([
  ['10<sup>6</sup> kg', '10^6 kg'],
  ['10<sup>-</sup><sup>6</sup> kg', '10^-6 kg'],
  ['10<sup>−6</sup>5', '10^(−6)5'],
  ['x<sup>n+1</sup>', 'x^(n+1)'],
  ['10<span style="vertical-align: super; font-size: 8px">6</span> kg', '10^6 kg'],
  ['H<sub>2</sub>O and CO<sub>2</sub> stay words', 'H2O and CO2 stay words'],
  ['log<sub>2</sub>8 and 101<sub>2</sub>', 'log_(2)8 and 101_2'],
  ['the 21<sup>st</sup> of May, Mill<sup>®</sup>', 'the 21st of May, Mill®'],
  ['rose by 25<sup><a href="#f1">3</a></sup> in 2024<a href="#n"><sup>12</sup></a>', 'rose by 25[3] in 2024[12]'],
  ['rose by 25<sup id="r"><a href="#f1">[3]</a></sup>', 'rose by 25[3]'],
])('html: %s is read without a change of its numbers', (body, text) => {
  expect(html(`<p>${body}</p>`)).toBe(text)
  expect(html(`<h2>${body}</h2>`)).toBe(`## ${text}`)
  expect(html(`<table><tr><th>a<th>b<tr><td>${body}<td>x</table>`)).toContain(`| ${text} |`)
})

it('html: formulas in MathML keep powers, indexes, fractions and roots', () => {
  const math =
    '<math><msup><mn>10</mn><mn>6</mn></msup><mo>+</mo><msub><mi>x</mi><mn>1</mn></msub><mfrac><mn>1</mn><mn>2</mn></mfrac><msqrt><mn>9</mn></msqrt><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup></math>'
  expect(readHtml(`<p>${math}</p>`, 'html').blocks[0]).toMatchObject({
    kind: 'formula',
    text: '10^{6}+x_{1}\\frac{1}{2}\\sqrt{9}a_{i}^{2}',
  })
})

it('docx: powers and indexes keep their numbers, footnote marks are apart from them', async () => {
  const document = new Docx({
    footnotes: { 1: { children: [new Paragraph('A note.')] } },
    sections: [
      {
        children: [
          new Paragraph({
            children: [
              new TextRun('The mass is 10'),
              new TextRun({ text: '6', superScript: true }),
              new TextRun(' kg of H'),
              new TextRun({ text: '2', subScript: true }),
              new TextRun('O, up 25'),
              new FootnoteReferenceRun(1),
              new TextRun(' percent'),
            ],
          }),
        ],
      },
    ],
  })
  const { blocks } = await readDocx(await Packer.toBuffer(document))
  expect(blocks[0]).toMatchObject({ text: 'The mass is 10^6 kg of H2O, up 25[1] percent' })
})

it('pptx: powers and indexes keep their numbers, in tables too', async () => {
  const PptxGenJS = pptx.default as unknown as typeof pptx.default.default
  const show = new PptxGenJS()
  const mass = [
    { text: 'The mass is 10' },
    { text: '6', options: { superscript: true } },
    { text: ' kg of H' },
    { text: '2', options: { subscript: true } },
    { text: 'O' },
  ]
  const slide = show.addSlide()
  slide.addText(mass, { x: 1, y: 1, w: 6, h: 1 })
  slide.addTable([[{ text: mass as pptx.default.TableCell[] }, { text: 'x' }]], { x: 1, y: 3, w: 6 })
  const { blocks } = readPptx((await show.write({ outputType: 'nodebuffer' })) as Buffer)
  expect(blocks[0]).toMatchObject({ text: 'The mass is 10^6 kg of H2O' })
  expect(blocks[1]).toMatchObject({ cells: [{ text: 'The mass is 10^6 kg of H2O' }, { text: 'x' }] })
})

it('xlsx: rich text of shared and inline strings keeps its numbers', () => {
  const rich = (power: string): string =>
    `<r><t xml:space="preserve">mass 10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>${power}</t></r><r><t xml:space="preserve"> kg &amp; more</t></r>`
  const sheet = { '!ref': 'A1:B1', A1: { t: 's', v: 'one' }, B1: { t: 's', v: 'two' } }
  const book = write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'array', bookType: 'xlsx', bookSST: true })
  const parts = unzipSync(new Uint8Array(book as ArrayBuffer))
  const edit = (name: string, change: (xml: string) => string): void => {
    parts[name] = strToU8(change(strFromU8(parts[name]!)))
  }
  edit('xl/sharedStrings.xml', (xml) => xml.replace('<t>one</t>', rich('6')))
  edit('xl/worksheets/sheet1.xml', (xml) =>
    xml.replace(/<c r="B1"[^>]*>.*?<\/c>/, `<c r="B1" t="inlineStr"><is>${rich('-3')}</is></c>`),
  )
  expect(toMarkdown(readXlsx(zipSync(parts)))).toContain('| mass 10^6 kg & more | mass 10^-3 kg & more |')
})
