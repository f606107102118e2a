import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConverterConfig } from '../../providers/converter/config.ts'
import { startConverter } from '../../providers/converter/server.ts'
import { readDocument } from '../../providers/converter/work/convert-document.ts'
import type { Table } from '../../providers/converter/model/document.ts'
import { makeFixtures } from '../helpers/conversion/fixture-set.ts'
import type { Fixture } from '../helpers/conversion/fixture-set.ts'
import { fuzzConverter } from '../helpers/conversion/fuzz.ts'
import { blocksText, cellF1, contentText, readingOrder, textRecall } from '../helpers/conversion/score.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { atMost, shown } from './figure.ts'
import type { Figure } from './figure.ts'
import { readOptions } from '../helpers/read-options.ts'

interface Score {
  fixture: Fixture
  recall: number
  cells: number | null
  order: number | null
  pages: number
  seconds: number
  cpuSeconds: number
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const OFFICE = process.env['LIBREOFFICE_PATH']

function setOffice(program: string | undefined): void {
  if (program === undefined) delete process.env['LIBREOFFICE_PATH']
  else process.env['LIBREOFFICE_PATH'] = program
}

async function scoreOf(fixture: Fixture, cacheDir: string): Promise<Score> {
  setOffice(fixture.withoutOffice === true ? join(cacheDir, 'none') : OFFICE)
  const before = process.cpuUsage()
  const started = performance.now()
  const document = await readDocument(fixture.bytes, fixture.name, readOptions(cacheDir))
  const seconds = (performance.now() - started) / 1000
  const cpu = process.cpuUsage(before)
  const text = blocksText(document.blocks)
  const tables = document.blocks.filter((block): block is Table => block.kind === 'table')
  const { content } = fixture
  return {
    fixture,
    recall: textRecall(content === null ? fixture.text! : contentText(content), text),
    cells:
      content === null
        ? null
        : cellF1(
            content.sections.flatMap(({ table }) => (table === undefined ? [] : [table])),
            tables,
          ),
    order: content === null ? null : readingOrder(content, text),
    pages: Math.max(1, document.pages.length),
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

const known = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null)
const rate = (scores: readonly Score[], of: 'seconds' | 'cpuSeconds'): number =>
  scores.reduce((sum, { pages }) => sum + pages, 0) / scores.reduce((sum, score) => sum + score[of], 0)

function scorecard(scores: readonly Score[]): string {
  const groups = [...new Set(scores.map(({ fixture }) => fixture.group))]
  const figure = (value: number | null): string => (value === null || Number.isNaN(value) ? '–' : value.toFixed(3))
  const rows = groups.map((group) => {
    const those = scores.filter(({ fixture }) => fixture.group === group)
    const cells = known(those.map((score) => score.cells))
    const order = known(those.map((score) => score.order))
    const columns = [
      group,
      String(those.length),
      those[0]!.fixture.maker,
      figure(mean(those.map(({ recall }) => recall))),
      figure(cells.length === 0 ? null : mean(cells)),
      figure(order.length === 0 ? null : mean(order)),
      rate(those, 'seconds').toFixed(1),
      rate(those, 'cpuSeconds').toFixed(1),
    ]
    return `| ${columns.join(' | ')} |`
  })
  return `# Conversion scorecard

Written by \`npm run bench -- --only conversion\` on ${new Date().toISOString().slice(0, 10)} over ${scores.length} files, all made by other programs than the ones that read them: pdfkit, docx, pptxgenjs,
LibreOffice, poppler, sharp and qpdf from articles of our own corpus, and manuals that Debian ships (their truth is poppler's text).
Text recall: share of the words, each as often as it occurs, that come out. Table cells: F1 over cells found with their text in their row
and column. Reading order: share of the pairs of paragraphs in their order. Formats without pages count one page per file. Rates include the
loading of libraries by the first file of a format; pages per second of wall time fall on a busy machine, pages per second of processor time do not.

| Files | Number | Made by | Text recall | Table cells F1 | Reading order | Pages/s | Pages per processor second |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

const atLeast = (id: string, what: string, value: number, unit: string, limit: number): Figure => ({
  id,
  what,
  value,
  unit,
  target: `≥ ${limit}`,
  met: value >= limit,
})

/** Reads every fixture once and writes the scorecard. */
async function scoreAll(fixtures: readonly Fixture[], cacheDir: string): Promise<Score[]> {
  const scores: Score[] = []
  for (const fixture of fixtures) scores.push(await scoreOf(fixture, cacheDir))
  setOffice(OFFICE)
  await writeFile(join(PROJECT_ROOT, 'docs', 'conversion-scorecard.md'), scorecard(scores))
  return scores
}

/** Conversion quality and speed over a made set of files, then 500 damaged copies sent to the service; rewrites docs/conversion-scorecard.md. */
export async function benchConversion(): Promise<Figure[]> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'rag-ladder-conversion-bench-'))
  try {
    const fixtures = await makeFixtures()
    const scores = await scoreAll(fixtures, cacheDir)
    const those = (kind: Fixture['kind'], tables?: Fixture['tables']): Score[] =>
      scores.filter(({ fixture }) => fixture.kind === kind && (tables === undefined || fixture.tables === tables))
    const recall = (kind: Fixture['kind']): number => mean(those(kind).map((score) => score.recall))
    const cells = (tables: Fixture['tables']): number =>
      mean(known(scores.filter(({ fixture }) => fixture.tables === tables).map((score) => score.cells)))
    const pdf = scores.filter(({ fixture }) => fixture.kind === 'born-digital' && fixture.name.endsWith('.pdf'))
    const figures = [
      shown('E', 'files', scores.length, ''),
      atLeast('E', 'text recall, born-digital', recall('born-digital'), '', 0.99),
      atLeast('E', 'text recall, scanned clean print', recall('scanned'), '', 0.95),
      atLeast('E', 'table cells F1, ruled', cells('ruled'), '', 0.95),
      atLeast('E', 'table cells F1, borderless', cells('borderless'), '', 0.85),
      shown('E', 'table cells F1, marked up', cells('marked'), ''),
      shown('E', 'reading order', mean(known(scores.map(({ order }) => order))), ''),
      atLeast('P16', 'born-digital PDF, wall time', rate(pdf, 'seconds'), 'pages/s', 20),
      shown('P16', 'born-digital PDF, processor time', rate(pdf, 'cpuSeconds'), 'pages/s'),
      atLeast('P16', 'scanned, wall time', rate(those('scanned'), 'seconds'), 'pages/s', 1),
      shown('P16', 'scanned, processor time', rate(those('scanned'), 'cpuSeconds'), 'pages/s'),
    ]
    for (const score of scores) {
      const isPoor = score.recall < 0.95 || (score.cells ?? 1) < 0.85 || (score.order ?? 1) < 0.9
      if (isPoor)
        console.error(
          `  poor: ${score.fixture.name} (${score.fixture.group}): recall ${score.recall.toFixed(3)}, cells ${score.cells?.toFixed(3) ?? '–'}, order ${score.order?.toFixed(3) ?? '–'}`,
        )
    }
    return [...figures, ...(await fuzz(fixtures, cacheDir))]
  } finally {
    await rm(cacheDir, { recursive: true, force: true })
  }
}

async function fuzz(fixtures: readonly Fixture[], cacheDir: string): Promise<Figure[]> {
  const converter = await startConverter(
    loadConverterConfig({
      DOCCONV_PORT: '0',
      DOCCONV_API_TOKEN: 'bench',
      DOCCONV_LOG_LEVEL: 'silent',
      DOCCONV_CACHE_DIR: cacheDir,
      DOCCONV_INFERENCE_TIMEOUT_SECONDS: '60',
    }),
  )
  try {
    // Old formats start LibreOffice each time: a few of them are enough. Scans of several pages break as those of one do.
    const quick = fixtures.filter(({ name, group }) => !/\.(doc|ppt)$/.test(name) && group !== 'PDF scan, four pages')
    const old = fixtures.filter(({ name }) => /\.(doc|ppt)$/.test(name))
    const files = (list: readonly Fixture[]) => new Map(list.map(({ name, bytes }) => [name, bytes]))
    const first = await fuzzConverter(converter.url, 'bench', files(quick), 488)
    const second = await fuzzConverter(converter.url, 'bench', files(old), 12)
    const wrong = [...first.wrong, ...second.wrong]
    for (const line of wrong) console.error(`  wrong: ${line}`)
    return [
      shown('E', 'damaged files refused', first.refused + second.refused, ''),
      shown('E', 'damaged files that still gave content', first.converted + second.converted, ''),
      atMost('E', 'damaged files that ended otherwise', wrong.length, '', 0),
      atMost('E', 'slowest answer to a damaged file', Math.max(first.slowestMs, second.slowestMs) / 1000, 's', 60),
    ]
  } finally {
    await converter.close()
  }
}
