import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { writeDocx } from '../../../tests/helpers/conversion/writers.ts'
import type { Block } from '../model/document.ts'
import { readDocx } from './docx.ts'
import { detectFormat } from './formats.ts'

const SPACES = ['w', 'm', 'v', 'mc', 'wps', 'wp', 'a', 'c', 'r', 'dgm']
  .map((prefix) => `xmlns:${prefix}="urn:${prefix}"`)
  .join(' ')

/** A Word file with this body; other parts by their names, null takes one out. */
async function docx(body: string, more: Record<string, string | null> = {}): Promise<Uint8Array> {
  const parts = unzipSync(new Uint8Array(await writeDocx({ title: 'x', sections: [] })))
  const xml = strFromU8(parts['word/document.xml']!)
  const space = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
  parts['word/document.xml'] = strToU8(
    `${xml.slice(0, xml.indexOf('<w:document'))}<w:document ${SPACES.replace('"urn:w"', `"${space}"`).replace('"urn:mc"', '"http://schemas.openxmlformats.org/markup-compatibility/2006"').replace('"urn:v"', '"urn:schemas-microsoft-com:vml"').replace('"urn:r"', '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"')}><w:body>${body}</w:body></w:document>`,
  )
  for (const [name, text] of Object.entries(more))
    if (text === null) Reflect.deleteProperty(parts, name)
    else parts[name] = strToU8(text)
  return zipSync(parts)
}

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (inner: string): string => `<w:p>${inner}</w:p>`
const textsOf = (blocks: readonly Block[]): unknown[] =>
  blocks.map((block) => ('text' in block ? block.text : block.kind))
const read = async (body: string, more: Record<string, string | null> = {}) => {
  const { blocks, warnings } = await readDocx(await docx(body, more))
  return { texts: textsOf(blocks), warnings, blocks }
}

it('the base text of furigana is kept, and a warning reports that the readings are not', async () => {
  const ruby = (base: string, reading: string): string =>
    `<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>${reading}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>${base}</w:t></w:r></w:rubyBase></w:ruby></w:r>`
  expect(
    await read(paragraph(`${ruby('鬼門', 'きもん')}${run('の')}${ruby('方角', 'ほうがく')}${run('をする。')}`)),
  ).toMatchObject({ texts: ['鬼門の方角をする。'], warnings: ['the readings (furigana) of 2 words were left out'] })
})

it('text within direction marks is kept', async () => {
  const body = paragraph(
    `<w:dir w:val="rtl">${run('السنة ')}<w:bdo w:val="rtl">${run('المالية')}</w:bdo></w:dir>${run(' 2024')}`,
  )
  expect((await read(body)).texts).toEqual(['السنة المالية 2024'])
})

it('the shown value of a field is kept', async () => {
  const field = (name: string, shown: string): string => `<w:fldSimple w:instr=" ${name} ">${run(shown)}</w:fldSimple>`
  expect(
    (await read(paragraph(`${run('Table ')}${field('SEQ Table', '7')}${run(' of ')}${field('TITLE', 'Quay')}`))).texts,
  ).toEqual(['Table 7 of Quay'])
})

it('text boxes come after their paragraph, once, tables and boxes within them too', async () => {
  const box = (inner: string): string => `<wps:txbx><w:txbxContent>${inner}</w:txbxContent></wps:txbx>`
  const drawing = (inner: string): string =>
    `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor>${box(inner)}</wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>${inner}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`
  const table = `<w:tbl><w:tr><w:tc>${paragraph(run('cell'))}</w:tc><w:tc>${paragraph(run('other'))}</w:tc></w:tr></w:tbl>`
  const inner = paragraph(`${run('within')}${drawing(paragraph(run('deeper')))}`)
  const { texts } = await read(
    `${paragraph(`${run('Anchor.')}${drawing(`${inner}${table}${paragraph('')}`)}`)}${paragraph(run('After.'))}`,
  )
  expect(texts).toEqual(['Anchor.', 'within', 'deeper', 'table', 'After.'])
  const old = `<w:r><w:pict><v:rect><v:textbox><w:txbxContent>${paragraph(run('old box'))}</w:txbxContent></v:textbox></v:rect></w:pict></w:r>`
  expect((await read(paragraph(`${run('Anchor.')}${old}`))).texts).toEqual(['Anchor.', 'old box'])
})

it('headers, footers and comments are named in a warning, and headers are the text of a document without another', async () => {
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  const more = {
    'word/header1.xml': `<w:hdr ${space}>${paragraph(run('Letter &amp; head'))}</w:hdr>`,
    'word/comments.xml': `<w:comments ${space}><w:comment>${paragraph(run('Check this.'))}</w:comment></w:comments>`,
  }
  expect(await read(paragraph(run('Body.')), more)).toMatchObject({
    texts: ['Body.'],
    warnings: ['headers and footers were left out', 'comments were left out'],
  })
  expect((await read(paragraph(''), more)).texts).toEqual(['Letter & head'])
})

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relationships = (...all: [id: string, type: string, target: string][]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`).join('')}</Relationships>`

it('a chart becomes a table of its numbers, a diagram a list of its texts, where they are drawn', async () => {
  const cache = (...texts: string[]): string =>
    `<c:cache>${texts.map((text, index) => `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`).join('')}</c:cache>`
  const series = (name: string, ...values: string[]): string =>
    `<c:ser><c:tx>${cache(name)}</c:tx><c:cat>${cache('2023', '2024')}</c:cat><c:val>${cache(...values)}</c:val></c:ser>`
  const chart = `<c:chartSpace ${SPACES}><c:chart><c:title><a:t>Ships</a:t></c:title><c:plotArea><c:barChart>${series('In', '40', '65')}${series('Out', '38', '61')}</c:barChart></c:plotArea></c:chart></c:chartSpace>`
  const diagram = `<dgm:dataModel ${SPACES}><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Berth</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt/></dgm:ptLst></dgm:dataModel>`
  const drawing = (inner: string): string => `<w:r><w:drawing><wp:inline>${inner}</wp:inline></w:drawing></w:r>`
  const { blocks, texts } = await read(
    `${paragraph(`${run('Traffic:')}${drawing('<c:chart r:id="rId7"/>')}`)}${paragraph(drawing('<dgm:relIds r:dm="rId8" r:lo="rId9"/>'))}${paragraph(run('End.'))}`,
    {
      'word/_rels/document.xml.rels': relationships(
        ['rId7', 'chart', 'charts/chart1.xml'],
        ['rId8', 'diagramData', '/word/diagrams/data1.xml'],
      ),
      'word/charts/chart1.xml': chart,
      'word/diagrams/data1.xml': diagram,
    },
  )
  expect(texts).toEqual(['Traffic:', 'table', 'Berth', 'End.'])
  const table = blocks[1] as Extract<Block, { kind: 'table' }>
  expect([table.caption, table.cells.map(({ text }) => text)]).toEqual([
    'Ships',
    ['', 'In', 'Out', '2023', '40', '38', '2024', '65', '61'],
  ])
})

it.each([
  [
    'an integral with limits',
    '<m:nary><m:naryPr><m:chr m:val="∫"/></m:naryPr><m:sub><m:r><m:t>0</m:t></m:r></m:sub><m:sup><m:r><m:t>1</m:t></m:r></m:sup><m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary>',
    '\\int_{0}^{1} x',
  ],
  [
    'a letter with an index and a power',
    '<m:sSubSup><m:e><m:r><m:t>a</m:t></m:r></m:e><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSubSup><m:r><m:t>+b</m:t></m:r>',
    'a_{i}^{2}+b',
  ],
  [
    'a root in brackets',
    '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:rad><m:deg><m:r><m:t>3</m:t></m:r></m:deg><m:e><m:r><m:t>y</m:t></m:r></m:e></m:rad></m:e></m:d>',
    '[\\sqrt[3]{y}]',
  ],
  [
    'a sum over a matrix with a hat',
    '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:e><m:acc><m:accPr><m:chr m:val="̂"/></m:accPr><m:e><m:r><m:t>z</m:t></m:r></m:e></m:acc></m:e></m:nary><m:m><m:mr><m:e><m:r><m:t>1</m:t></m:r></m:e><m:e><m:r><m:t>2</m:t></m:r></m:e></m:mr></m:m>',
    '\\sum_{i} \\hat{z}\\begin{matrix}1 & 2\\end{matrix}',
  ],
])('%s is written as LaTeX', async (_, math, latex) => {
  expect((await read(`<w:p><m:oMathPara><m:oMath>${math}</m:oMath></m:oMathPara></w:p>`)).blocks).toEqual([
    { kind: 'formula', text: latex, place: null },
  ])
})

it('a document whose main part has another name is found by its relations', async () => {
  const bytes = await docx(paragraph(run('Body of the second part.')))
  const parts = unzipSync(bytes)
  const [body, links] = [parts['word/document.xml']!, parts['word/_rels/document.xml.rels']!]
  Reflect.deleteProperty(parts, 'word/document.xml')
  Reflect.deleteProperty(parts, 'word/_rels/document.xml.rels')
  const moved = zipSync({
    ...parts,
    'word/document2.xml': body,
    'word/_rels/document2.xml.rels': links,
    '_rels/.rels': strToU8(relationships(['rId1', 'officeDocument', 'word/document2.xml'])),
    '[Content_Types].xml': strToU8(
      strFromU8(parts['[Content_Types].xml']!).replaceAll('/word/document.xml', '/word/document2.xml'),
    ),
  })
  expect(detectFormat(moved, 'a.docx')).toBe('docx')
  expect(textsOf((await readDocx(moved)).blocks)).toEqual(['Body of the second part.'])
  const windows = zipSync(
    Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, part]) => [name.replaceAll('/', '\\'), part])),
  )
  expect(detectFormat(windows, 'a.docx')).toBe('docx')
  expect(textsOf((await readDocx(windows)).blocks)).toEqual(['Body of the second part.'])
})

it('properties of the file that no reader uses do not count against what may be unpacked', async () => {
  const app = `<Properties>${' '.repeat(17 * 1024 * 1024)}</Properties>`
  expect((await read(paragraph(run('Body.')), { 'docProps/app.xml': app })).texts).toEqual(['Body.'])
})

it('the text of a link that leads nowhere is kept, and the structure around it', async () => {
  const link = `<w:hyperlink w:history="1" r:id="rIdMissing">${run('a link')}</w:hyperlink>`
  const title = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>'
  const { blocks, warnings } = await read(`${title}${paragraph(link)}`)
  expect([blocks.map(({ kind }) => kind), warnings]).toEqual([['heading', 'paragraph'], []])
})

it('a document over which the library stumbles gives its text, and a warning reports it', async () => {
  const note = `${run('A note that is missing.')}<w:r><w:footnoteReference w:id="99"/></w:r>`
  expect(await read(`${paragraph(run('First &amp; last.'))}${paragraph(note)}`)).toMatchObject({
    texts: ['First & last.', 'A note that is missing.'],
    warnings: ['read as plain text, without headings, lists and tables: the structure of the document is damaged'],
  })
})
