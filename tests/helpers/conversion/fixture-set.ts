import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT_ROOT } from '../project-root.ts'
import { multiPageTiff, picturePdf, scannedPage } from './scans.ts'
import { viaLibreOffice, writeDocx, writeHtml, writePdf, writePptx, type Content } from './writers.ts'

const run = promisify(execFile)

export type FixtureKind = 'born-digital' | 'scanned'

/** A file, who made it, and its content. */
export interface Fixture {
  name: string
  /** Row of the scorecard. */
  group: string
  kind: FixtureKind
  maker: string
  bytes: Buffer
  /** Null where only the text is known. */
  content: Content | null
  text: string | null
  tables: 'ruled' | 'borderless' | 'marked'
  /** Read as on a machine without LibreOffice. */
  withoutOffice?: true
}

const TOPICS = ['european-eel', 'float-glass', 'foehn-wind', 'jacquard-loom'] as const
const DPI = 200

/** Tables of figures, one per topic: their cells are short, long, empty of letters and alike. */
const TABLES: readonly string[][][] = [
  [
    ['River', 'Weir', 'Eels counted', 'Change'],
    ['Arle', 'Low weir', '1,204', '+12%'],
    ['Brund', 'Mill weir', '377', '-4%'],
    ['Coss', 'Salt sluice', '91', '+31%'],
    ['Dunnet', 'High weir', '2,650', '0%'],
  ],
  [
    ['Works', 'Opened', 'Tonnes a day', 'Thickness (mm)'],
    ['Harnby', '1962', '450', '2.0'],
    ['Lessing', '1974', '620', '4.0'],
    ['Ostrand', '1981', '700', '6.0'],
    ['Vell', '1999', '580', '3.2'],
  ],
  [
    ['Valley', 'Height (m)', 'Degrees before', 'Degrees after'],
    ['Altner', '1,310', '4.1', '13.8'],
    ['Brenz', '980', '6.0', '14.2'],
    ['Corvin', '2,040', '-3.5', '9.9'],
    ['Dorn', '1,505', '1.2', '12.7'],
  ],
  [
    ['Loom', 'Cards', 'Picks a minute', 'Owner'],
    ['Number 1', '400', '48', 'Perrin'],
    ['Number 2', '600', '52', 'Vautier'],
    ['Number 3', '1,344', '40', 'Roux and Sons'],
    ['Number 4', '896', '45', 'Mercier'],
  ],
]

/** An article of the corpus as content: the first sections of running text, and a table of figures. */
async function topicContent(name: string, table: string[][], sections: number): Promise<Content> {
  const text = await readFile(join(PROJECT_ROOT, 'corpus', 'subset', `${name}.md`), 'utf8')
  const plain = (line: string): string => line.replaceAll(/[*`]|\[([^\]]*)\]\([^)]*\)/g, '$1').trim()
  const title = plain(/^# (.*)$/m.exec(text)![1]!)
  const found = text
    .split(/^## /m)
    .slice(text.includes('\n## ') ? 1 : 0)
    .map((part) => {
      const [heading = '', ...rest] = part.replace(/^# .*\n/, 'Overview\n').split('\n')
      const paragraphs = rest
        .join('\n')
        .split(/\n\s*\n/)
        .map((each) => plain(each.replaceAll('\n', ' ')))
        .filter((each) => /^\p{L}/u.test(each))
      return { heading: plain(heading), paragraphs }
    })
    .filter(({ paragraphs }) => paragraphs.length > 0)
    .slice(0, sections)
  return {
    title,
    sections: [...found, { heading: 'Figures', paragraphs: ['The figures of the table were taken together.'], table }],
  }
}

/** The same content in less words, as slides and single pages want it. */
const shortened = ({ title, sections }: Content): Content => ({
  title,
  sections: sections.map((section) => ({
    ...section,
    paragraphs: section.paragraphs.slice(0, 1).map((text) =>
      text
        .split(/(?<=[.!?])\s/)
        .slice(0, 2)
        .join(' '),
    ),
  })),
})

/** The contents of the scans: an article and a table of figures each, which fit one page. */
export const scanContents = (): Promise<Content[]> =>
  Promise.all(TOPICS.map(async (topic, index) => shortened(await topicContent(topic, TABLES[index]!, 4))))

async function qpdf(bytes: Buffer, ...options: string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'fixture-qpdf-'))
  try {
    await writeFile(join(folder, 'in.pdf'), bytes)
    await run('qpdf', [...options, join(folder, 'in.pdf'), join(folder, 'out.pdf')])
    return await readFile(join(folder, 'out.pdf'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Makes the set with pdfkit, docx, pptxgenjs, LibreOffice, poppler, sharp and qpdf, and takes in manuals that Debian ships. */
export async function makeFixtures(): Promise<Fixture[]> {
  const fixtures: Fixture[] = []
  for (const [index, topic] of TOPICS.entries()) {
    const content = await topicContent(topic, TABLES[index]!, 4)
    const short = shortened(content)
    // LibreOffice reads figures as numbers and shows them in its own way: what it keeps is the truth.
    const shown = TABLES[index]!.map((row) =>
      row.map((cell) =>
        cell.replaceAll(/^\+|,(?=\d{3})|(?<=\.\d*)0+$|\.0$/g, '').replace(/^(-?)(\d+)%$/, '$1$2 per cent'),
      ),
    )
    const sheet: Content = { title: '', sections: [{ heading: '', paragraphs: [], table: shown }] }
    const add = (
      group: string,
      kind: FixtureKind,
      maker: string,
      extension: string,
      bytes: Buffer,
      expected: Content,
      tables: Fixture['tables'],
    ): void =>
      void fixtures.push({
        name: `${topic}-${fixtures.length}.${extension}`,
        group,
        kind,
        maker,
        bytes,
        content: expected,
        text: null,
        tables,
      })
    const docx = await writeDocx(content)
    const pptx = await writePptx(short)
    const twoColumns = await writePdf(content, { columns: 2, table: 'borderless' })
    add(
      'PDF, one column, ruled tables',
      'born-digital',
      'pdfkit',
      'pdf',
      await writePdf(content, { columns: 1, table: 'ruled' }),
      content,
      'ruled',
    )
    add('PDF, two columns, borderless tables', 'born-digital', 'pdfkit', 'pdf', twoColumns, content, 'borderless')
    add(
      'PDF, turned by 90°',
      'born-digital',
      'pdfkit, qpdf',
      'pdf',
      await qpdf(twoColumns, `--rotate=+${index % 2 === 0 ? 90 : 270}`),
      content,
      'borderless',
    )
    add(
      'PDF of a Word file',
      'born-digital',
      'docx, LibreOffice',
      'pdf',
      await viaLibreOffice(docx, 'docx', 'pdf'),
      content,
      'ruled',
    )
    add('DOCX', 'born-digital', 'docx', 'docx', docx, content, 'marked')
    add('DOC', 'born-digital', 'docx, LibreOffice', 'doc', await viaLibreOffice(docx, 'docx', 'doc'), content, 'marked')
    add('PPTX', 'born-digital', 'pptxgenjs', 'pptx', pptx, short, 'marked')
    const ppt = await viaLibreOffice(pptx, 'pptx', 'ppt')
    add('PPT', 'born-digital', 'pptxgenjs, LibreOffice', 'ppt', ppt, short, 'marked')
    add('PPT, read without LibreOffice', 'born-digital', 'pptxgenjs, LibreOffice', 'ppt', ppt, short, 'marked')
    fixtures.at(-1)!.withoutOffice = true
    const csv = shown.map((row) => row.map((cell) => `"${cell}"`).join(',')).join('\n')
    add(
      'XLSX',
      'born-digital',
      'LibreOffice',
      'xlsx',
      await viaLibreOffice(Buffer.from(csv), 'csv', 'xlsx'),
      sheet,
      'marked',
    )
    add('HTML', 'born-digital', 'by hand', 'html', writeHtml(content), content, 'marked')
    const page = (tables: 'ruled' | 'borderless', format: 'png' | 'jpeg', degrees?: number): Promise<Buffer> =>
      scannedPage(
        short,
        { columns: 1, table: tables, size: 12 },
        { dpi: DPI, format, ...(degrees === undefined ? {} : { degrees }) },
      )
    const ruled = await page('ruled', 'png')
    const bare = await page('borderless', 'png')
    add('PNG scan, ruled tables', 'scanned', 'pdfkit, poppler, sharp', 'png', ruled, short, 'ruled')
    add(
      'JPEG scan, borderless tables',
      'scanned',
      'pdfkit, poppler, sharp',
      'jpg',
      await page('borderless', 'jpeg', -0.3),
      short,
      'borderless',
    )
    add(
      'PDF scan, ruled tables',
      'scanned',
      'pdfkit, poppler, sharp',
      'pdf',
      await picturePdf([ruled], DPI),
      short,
      'ruled',
    )
    const twice: Content = { title: short.title, sections: [...short.sections, ...short.sections] }
    add(
      'PDF scan, four pages',
      'scanned',
      'pdfkit, poppler, sharp',
      'pdf',
      await picturePdf([ruled, bare, ruled, bare], DPI),
      { title: short.title, sections: [...short.sections, ...short.sections, ...short.sections, ...short.sections] },
      'ruled',
    )
    add(
      'TIFF scan, two pages',
      'scanned',
      'pdfkit, poppler, sharp',
      'tiff',
      await multiPageTiff([ruled, bare], DPI),
      twice,
      'ruled',
    )
  }
  for (const file of [
    '/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf',
    '/usr/share/doc/libtasn1-doc/libtasn1.pdf',
  ]) {
    if (!existsSync(file)) continue
    const { stdout } = await run('pdftotext', [file, '-'], { maxBuffer: 64 * 1024 * 1024 })
    fixtures.push({
      name: file.split('/').at(-1)!,
      group: 'PDF manuals of Debian',
      kind: 'born-digital',
      maker: 'dblatex, TeX',
      bytes: await readFile(file),
      content: null,
      text: stdout,
      tables: 'marked',
    })
  }
  return fixtures
}
