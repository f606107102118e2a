import { utils, write } from '@e965/xlsx'
import { strToU8, unzipSync, zipSync } from 'fflate'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { multiPageTiff, picturePdf } from '../../../tests/helpers/conversion/scans.ts'
import {
  writeDocx,
  writeEncryptedPdf,
  writeHtml,
  writePdf,
  writePptx,
} from '../../../tests/helpers/conversion/writers.ts'
import type { Content } from '../../../tests/helpers/conversion/writers.ts'
import { chunkDocument } from '../export/chunks.ts'
import { toMarkdown } from '../export/markdown.ts'
import type { Block } from '../model/document.ts'
import { readDocument } from '../work/convert-document.ts'
import { drawPage } from '../work/handle-request.ts'
import { readHtml } from './html.ts'
import { readOptions } from '../../../tests/helpers/read-options.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const content: Content = {
  title: 'Quay report',
  sections: [
    {
      heading: 'Cranes',
      paragraphs: ['Three cranes stand on the quay and a fourth is being built beside the old fish hall.'],
      items: ['Alpha', 'Beta'],
      table: [
        ['Crane', 'Lift (t)'],
        ['Alpha', '40'],
        ['Beta', '65'],
      ],
    },
  ],
}

const cacheDir = suiteFolder('formats')

const read = (bytes: Uint8Array, name = 'file') => readDocument(bytes, name, readOptions(cacheDir))
const bare = (blocks: readonly Block[]): unknown[] => blocks.map(({ place: _place, ...block }) => block)
const table = {
  kind: 'table',
  rows: 3,
  columns: 2,
  caption: null,
  cells: content.sections[0]!.table!.flatMap((row, y) =>
    row.map((text, x) => ({ row: y, column: x, rowSpan: 1, columnSpan: 1, text, isHeader: y === 0 })),
  ),
}
const item = (text: string) => ({ kind: 'list_item', level: 0, ordered: false, text })
const [{ heading, paragraphs }] = content.sections as [Content['sections'][number]]
const body = [
  { kind: 'heading', level: 2, text: heading },
  { kind: 'paragraph', text: paragraphs[0] },
  item('Alpha'),
  item('Beta'),
  table,
]

describe('the same content through every writer', () => {
  it.each([
    ['html', async () => writeHtml(content)],
    ['docx', async () => writeDocx(content)],
  ] as const)('%s', async (format, make) => {
    const document = await read(await make())
    expect([document.sourceFormat, bare(document.blocks)]).toEqual([
      format,
      [{ kind: 'heading', level: 1, text: 'Quay report' }, ...body],
    ])
  })

  it('pptx: slides are pages, titles headings, notes follow', async () => {
    const document = await read(await writePptx(content, ['Said aside.']))
    expect(bare(document.blocks)).toEqual([
      { kind: 'heading', level: 2, text: 'Quay report' },
      ...body,
      { kind: 'paragraph', text: 'Said aside.' },
    ])
    expect(document.blocks.map(({ place }) => place!.page)).toEqual([1, 2, 2, 2, 2, 2, 2])
  })

  it('pdf: with the place of each block', async () => {
    const document = await read(await writePdf(content, { columns: 1, table: 'ruled' }))
    expect(toMarkdown(document)).toContain('| Crane | Lift (t) |\n| --- | --- |\n| Alpha | 40 |\n| Beta | 65 |')
    expect(document.blocks[0]).toMatchObject({
      kind: 'heading',
      text: 'Quay report',
      place: { page: 1, box: { left: 60 } },
    })
  })

  describe('pictures of text', () => {
    const line = (text: string): Promise<Buffer> =>
      sharp(
        Buffer.from(
          `<svg width="1000" height="220"><rect width="1000" height="220" fill="white"/><text x="60" y="120" font-family="sans-serif" font-size="54">${text}</text></svg>`,
        ),
      )
        .png()
        .toBuffer()

    it('tiff: each frame a page, recognized', async () => {
      const document = await read(
        await multiPageTiff([await line('The first sheet'), await line('The second sheet')], 150),
        'scan.png',
      )
      expect([document.sourceFormat, document.pages.length, document.ocrPages]).toEqual(['tiff', 2, 2])
      expect(toMarkdown(document)).toMatch(/The first sheet[\s\S]*The second sheet/)
      expect(document.warnings).toEqual(['the name ends in .png but the content is tiff; it was read as tiff'])
    })

    it('pdf: a page wider than paper keeps its size and its words their places', async () => {
      const document = await read(await picturePdf([await line('The wide sheet')], 72))
      expect([document.ocrPages, document.pages]).toEqual([
        1,
        [{ number: 1, widthPt: 1000, heightPt: expect.closeTo(220, 0) }],
      ])
      const { text, place } = document.blocks[0] as Extract<Block, { kind: 'paragraph' }>
      expect([text, Math.abs(place!.box!.left - 60) < 8]).toEqual(['The wide sheet', true])
    })
  })
})

it('xlsx: merged cells, shown values, tables parted by an empty row, hidden traps left alone', async () => {
  const sheet = utils.aoa_to_sheet([['Port', 'Ships', null], ['Velden', 412, 0.25], [], ['Note', 'ends here']])
  sheet['!merges'] = [{ s: { r: 0, c: 1 }, e: { r: 0, c: 2 } }]
  sheet['C2']!.z = '0%'
  const book = { SheetNames: ['Traffic'], Sheets: { Traffic: sheet } }
  const document = await read(new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer))
  expect(toMarkdown(document)).toBe(
    '## Traffic\n\n| Port | Ships |  |\n| --- | --- | --- |\n| Velden | 412 | 25% |\n\n|  |  |\n| --- | --- |\n| Note | ends here |\n',
  )
  expect(document.blocks[1]).toMatchObject({ cells: [{}, { text: 'Ships', columnSpan: 2 }, {}, {}, {}] })
})

it('docx: formulas are kept as text, alone as blocks of their own', async () => {
  const parts = unzipSync(new Uint8Array(await writeDocx(content)))
  const xml = new TextDecoder().decode(parts['word/document.xml'])
  const math =
    '<w:p><m:oMathPara xmlns:m="urn:m"><m:oMath><m:r><m:t>E=</m:t></m:r><m:f><m:num><m:r><m:t>p</m:t></m:r></m:num><m:den><m:r><m:t>2m</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></w:p>'
  parts['word/document.xml'] = strToU8(xml.replace('<w:body>', `<w:body>${math}`))
  const { blocks } = await read(zipSync(parts))
  expect(blocks[0]).toEqual({ kind: 'formula', text: 'E=\\frac{p}{2m}', place: null })
})

it('docx: blocks are on the pages that Word noted, and on none where its notes do not fit its count', async () => {
  const parts = unzipSync(new Uint8Array(await writeDocx(content)))
  const xml = new TextDecoder().decode(parts['word/document.xml'])
  const onPages = async (broken: string, pages: number) => {
    const app = `<Properties><Pages>${pages}</Pages></Properties>`
    const bytes = zipSync({ ...parts, 'word/document.xml': strToU8(broken), 'docProps/app.xml': strToU8(app) })
    const document = await read(bytes)
    const chunks = chunkDocument(document, 60, 0)
    return {
      blocks: document.blocks.map(({ place }) => place?.page ?? null),
      chunks: chunks.map(({ metadata }) => metadata.page),
      text: chunks.map(({ text }) => text).join(' '),
      pages: document.pages.length,
    }
  }
  const note = '<w:lastRenderedPageBreak/>'
  // Before the heading, in the middle of the paragraph, in the last row of the table.
  const broken = xml
    .replace('>Cranes<', `></w:t>${note}<w:t>Cranes<`)
    .replace('and a fourth', `and</w:t>${note}<w:t xml:space="preserve"> a fourth`)
    .replace('>65<', `></w:t>${note}<w:t>65<`)
  const found = await onPages(broken, 4)
  expect(found).toMatchObject({ blocks: [1, 2, 2, 3, 3, 3], pages: 4 })
  expect([found.chunks[0], found.chunks.at(-1), found.chunks.includes(null)]).toEqual([1, 3, false])
  expect(found.text).toMatch(/quay and a fourth is being built/)
  expect(found.text).not.toMatch(/\p{Co}/u)
  expect(await onPages(broken, 7)).toMatchObject({ blocks: [null, null, null, null, null, null], pages: 7 })
  expect((await onPages(xml, 4)).chunks).not.toContain(1)
})

it('html: scripts and navigation are no text, nothing is fetched, text nested without end is kept', () => {
  const page =
    '<nav>menu</nav><script>alert(1)</script><p>One<br>two</p><pre><code class="language-js">a &lt; b</code></pre><img src="https://example.org/x.png" alt="far">'
  expect(bare(readHtml(page, 'html').blocks)).toEqual([
    { kind: 'paragraph', text: 'One two' },
    { kind: 'code', language: 'js', text: 'a < b' },
    { kind: 'figure', caption: 'far', image: null },
  ])
  expect(bare(readHtml('<div>'.repeat(20_000) + 'deep <script>no</script>text', 'html').blocks)).toEqual([
    { kind: 'paragraph', text: 'deep text' },
  ])
})

it('html: a page that is named as one may have no element', async () => {
  expect(toMarkdown(await read(Buffer.from('plain text without any tag'), 'frag.html'))).toBe(
    'plain text without any tag\n',
  )
  await expect(read(Buffer.from('\x01\x02plain'), 'frag.html')).rejects.toMatchObject({ code: 'unsupported' })
})

it('html: a page that speaks of the head of a PDF is a page', async () => {
  const page = Buffer.from('<html><body><p>%PDF-1.4 is the head of such a file.</p></body></html>')
  expect(await read(page, 'page.html')).toMatchObject({ sourceFormat: 'html', warnings: [] })
})

it('html: spans over thousands of places do not make a table of nothing', async () => {
  const page = Buffer.from(`<table>${'<tr><td colspan="1000" rowspan="1000">a<td>b'.repeat(60)}</table>`)
  expect(toMarkdown(await read(page, 'page.html')).length).toBeLessThan(2000)
})

it('html: a table of more places than can be converted is refused with the reason', async () => {
  const cells = '<td colspan="90">a'.repeat(1000)
  await expect(read(Buffer.from(`<table>${`<tr>${cells}`.repeat(30)}</table>`), 'page.html')).rejects.toMatchObject({
    code: 'too_large',
    message: 'a table has more than 2000000 places',
  })
})

it('xlsx: a sheet without a part is empty, far cells are grouped, rows beyond the limit are named', async () => {
  const book = (sheet: object) =>
    new Uint8Array(
      write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer,
    )
  const parts = unzipSync(book(utils.aoa_to_sheet([['x']])))
  Reflect.deleteProperty(parts, 'xl/worksheets/sheet1.xml')
  await expect(read(zipSync(parts))).rejects.toMatchObject({ code: 'empty' })
  const corners = utils.aoa_to_sheet([['Port', 'Ships']])
  utils.sheet_add_aoa(corners, [['far']], { origin: 'XFD2' })
  corners['!merges'] = [{ s: { r: 0, c: 0 }, e: { r: 20, c: 0 } }]
  const { blocks } = await read(book(corners))
  expect(blocks[1]).toMatchObject({ kind: 'table', rows: 2, columns: 3 })
  const sparse = utils.aoa_to_sheet([['first']])
  utils.sheet_add_aoa(sparse, [['last']], { origin: 'A1048576' })
  expect((await read(book(sparse))).warnings.join(' ')).toContain('only the first 200000 rows')
})

it('markdown: words in brackets before brackets do not become a link', () => {
  const document = readHtml('<p>[x](javascript:alert(3)) and [y]: z and [a][b]</p>', 'html')
  expect(toMarkdown(document)).toBe('[x\\](javascript:alert(3)) and [y\\]: z and [a\\][b]\n')
})

it.each([
  ['an encrypted PDF', () => writeEncryptedPdf('hidden'), 'encrypted', /remove its password/],
  [
    'half a PDF',
    async () => (await writePdf(content, { columns: 1, table: 'ruled' })).subarray(0, 700),
    'damaged',
    /PDF cannot be read/,
  ],
  ['half a DOCX', async () => (await writeDocx(content)).subarray(0, 3000), 'damaged', /ZIP archive/],
  [
    'a broken picture',
    async () => Buffer.from('\x89PNG\r\n\x1a\nnothing', 'latin1'),
    'damaged',
    /picture cannot be decoded/,
  ],
  ['plain text', async () => Buffer.from('just words'), 'unsupported', /not one of PDF, DOCX/],
  ['a page without anything', async () => Buffer.from('<html><body></body></html>'), 'empty', /nothing to read/],
] as const)('what cannot be read is reported: %s', async (_name, make, code, message) => {
  await expect(read(await make())).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

it('draws pages of what has pages', async () => {
  const { width, format } = await sharp(
    await drawPage(await writePdf(content, { columns: 1, table: 'ruled' }), 'a.pdf', 1),
  ).metadata()
  expect([format, width]).toEqual(['png', 909])
  await expect(drawPage(await writeDocx(content), 'a.docx', 1)).rejects.toMatchObject({ code: 'unsupported' })
})
