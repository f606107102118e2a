import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import * as pptx from 'pptxgenjs'
import { expect, it } from 'vitest'
import { writeDocx } from '../../../tests/helpers/conversion/writers.ts'
import { toDoctags } from '../export/doctags.ts'
import { toHtml } from '../export/html.ts'
import { toMarkdown } from '../export/markdown.ts'
import { numeral } from '../model/list-numbers.ts'
import { readDocx } from './docx.ts'
import { readHtml } from './html.ts'
import { readPptx } from './pptx.ts'

it.each([
  [4, 'lowerRoman', 'iv'],
  [1994, 'upperRoman', 'MCMXCIV'],
  [28, 'lowerLetter', 'bb'],
  [28, 'upperLetterHtml', 'AB'],
  [7, 'paddedDecimal', '07'],
  [22, 'ordinal', '22nd'],
  [0, 'lowerLetter', '0'],
] as const)('%d is written as %s: %s', (number, style, text) => {
  expect(numeral(number, style)).toBe(text)
})

it('html: start, value, type, style and direction of a list are kept', () => {
  const page =
    '<ol start="5"><li>five<li>six<li value="9">nine</ol><p>x<ol type="a"><li>letter</ol><p>x<ol reversed><li>two<li>one</ol><p>x<ol style="list-style-type: upper-roman" start="4"><li>four</ol><table><tr><td><ol start="3"><li>in a cell</ol><td>y</table>'
  const document = readHtml(page, 'html')
  expect(toMarkdown(document)).toBe(
    '5. five\n6. six\n9. nine\n\nx\n\n- a. letter\n\nx\n\n2. two\n1. one\n\nx\n\n- IV. four\n\n|  |  |\n| --- | --- |\n| 3. in a cell | y |\n',
  )
  expect(readHtml(toHtml(document), 'html').blocks).toEqual(document.blocks)
  expect(toDoctags(document)).toContain('<list_item>5. five</list_item>')
  expect(toDoctags(document)).toContain('<list_item>a. letter</list_item>')
})

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const level = (index: number, format: string, text: string, more = ''): string =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="${index === 0 && format === 'decimal' ? 5 : 1}"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`

/** A Word file with these paragraphs: text, list and level, or the style that numbers it. */
async function docx(paragraphs: readonly [text: string, list: number | string, level?: number][]): Promise<Uint8Array> {
  const parts = unzipSync(
    new Uint8Array(await writeDocx({ title: 'x', sections: [{ heading: 'y', paragraphs: [], items: ['z'] }] })),
  )
  const edit = (name: string, change: (xml: string) => string): void => {
    parts[name] = strToU8(change(strFromU8(parts[name]!)))
  }
  const body = paragraphs.map(([text, list, at = 0]) => {
    const settings =
      typeof list === 'string'
        ? `<w:pStyle w:val="${list}"/>`
        : `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`
    return `<w:p><w:pPr>${settings}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
  })
  edit('word/document.xml', (xml) => xml.replace(/<w:body>[\s\S]*<\/w:body>/, `<w:body>${body.join('')}</w:body>`))
  const legal = '<w:isLgl/>'
  parts['word/numbering.xml'] = strToU8(
    `<w:numbering ${W}>
    <w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}</w:abstractNum>
    <w:abstractNum w:abstractNumId="2">${level(0, 'upperRoman', 'Article %1')}${level(1, 'lowerLetter', '(%2)')}${level(2, 'decimal', '%1.%3', legal)}</w:abstractNum>
    <w:abstractNum w:abstractNumId="3">${level(0, 'bullet', '•')}</w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>
    <w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
    </w:numbering>`,
  )
  const style = '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>'
  edit('word/styles.xml', (xml) =>
    xml.replace(
      /(<w:style [^>]*w:styleId="Heading1"[^>]*>)(?:(?!<\/w:style>)[\s\S])*/,
      `$1<w:name w:val="heading 1"/>${style}`,
    ),
  )
  return zipSync(parts)
}

it('docx: start, restart, letters, romans and legal numbers are the ones that Word shows', async () => {
  const document = await readDocx(
    await docx([
      ['Scope', 1],
      ['Parties', 1, 1],
      ['Fees', 1, 1],
      ['Term', 1],
      ['Its own part', 1, 1],
      ['Duties', 2],
      ['to pay', 2, 1],
      ['legal', 2, 2],
      ['to rest', 2, 1],
      ['Rights', 2],
      ['to vote', 2, 1],
      ['a point', 3],
      ['starts again', 4],
      ['goes on', 4],
    ]),
  )
  expect(toMarkdown(document).trim().split('\n')).toEqual([
    '5. Scope',
    '    - 5.1 Parties',
    '    - 5.2 Fees',
    '6. Term',
    '    - 6.1 Its own part',
    '- Article I Duties',
    '    - (a) to pay',
    '        - 1.1 legal',
    '    - (b) to rest',
    '- Article II Rights',
    '    - (a) to vote',
    '- a point',
    '1. starts again',
    '2. goes on',
  ])
})

it('docx: the number of a heading is a part of its text', async () => {
  const document = await readDocx(
    await docx([
      ['Duties', 'Heading1'],
      ['Rights', 'Heading1'],
    ]),
  )
  expect(toMarkdown(document)).toBe('# Article I Duties\n\n# Article II Rights\n')
})

it('pptx: numbers start where the slide starts them, in their own kind', async () => {
  const PptxGenJS = pptx.default as unknown as typeof pptx.default.default
  const show = new PptxGenJS()
  const item = (text: string, style: string, numberStartAt?: number) => ({
    text,
    options: {
      bullet: { type: 'number' as const, style, ...(numberStartAt === undefined ? {} : { numberStartAt }) },
      breakLine: true,
    },
  })
  const lines = [item('three', 'arabicPeriod', 3), item('four', 'arabicPeriod', 3)]
  const slide = show.addSlide()
  slide.addText(lines, { x: 1, y: 1, w: 6, h: 1 })
  slide.addText([item('a', 'alphaLcParenR'), item('b', 'alphaLcParenR')], { x: 1, y: 3, w: 6, h: 1 })
  const { blocks } = readPptx((await show.write({ outputType: 'nodebuffer' })) as Buffer)
  expect(blocks.map((block) => ('marker' in block ? `${block.marker} ${block.text}` : block.kind))).toEqual([
    '3. three',
    '4. four',
    'a) a',
    'b) b',
  ])
})

it('docx, html: boxes are ticked or not', async () => {
  const box = (state: string): string =>
    `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${state}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>${state === '1' ? '☒' : '☐'}</w:t></w:r></w:sdtContent></w:sdt>`
  const parts = unzipSync(await docx([['paid', 3]]))
  const xml = strFromU8(parts['word/document.xml']!)
  parts['word/document.xml'] = strToU8(xml.replace('<w:r><w:t>paid', `${box('1')}${box('0')}<w:r><w:t>paid`))
  expect(toMarkdown(await readDocx(zipSync(parts)))).toBe('- [x] [ ] paid\n')
  const page = '<p><input type="checkbox" checked> yes <input type="radio"> no'
  expect(toMarkdown(readHtml(page, 'html'))).toBe('[x] yes [ ] no\n')
})
