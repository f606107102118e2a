import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../project-root.ts'
import * as papers from './mixed-formats-papers.ts'
import { multiPageTiff, picturePdf, scannedPage } from './scans.ts'
import { viaLibreOffice, writeDocx, writeHtml, writePdf, writePptx, type Content } from './writers.ts'

/** Writes corpus/mixed_formats, or only the files that are named. Needs LibreOffice and poppler; run it with node. */
const folder = join(PROJECT_ROOT, 'corpus', 'mixed_formats')
const DPI = 150
const page = (content: Content, format: 'png' | 'jpeg'): Promise<Buffer> =>
  scannedPage(content, { columns: 1, table: 'ruled', size: 12 }, { dpi: DPI, format })

const files: Record<string, () => Promise<Buffer>> = {
  'annual-report.pdf': () => writePdf(papers.report, { columns: 2, table: 'ruled' }),
  'berth-register.xlsx': async () => {
    const csv = papers.berths.sections[0]!.table!.map((row) => row.join(',')).join('\n')
    return viaLibreOffice(Buffer.from(csv), 'csv', 'xlsx', 'Berths')
  },
  'crane-inspection.pdf': async () => picturePdf([await page(papers.inspection, 'png')], DPI),
  'dredging-memo.doc': async () => viaLibreOffice(await writeDocx(papers.dredging), 'docx', 'doc'),
  'harbour-dues.png': () => page(papers.tariff, 'png'),
  'lightship-plaque.jpg': () => page(papers.plaque, 'jpeg'),
  'pilot-handbook.docx': () => writeDocx(papers.pilots),
  'storm-log.tif': async () => multiPageTiff(await Promise.all(papers.storms.map((sheet) => page(sheet, 'png'))), DPI),
  'tug-briefing.ppt': async () =>
    viaLibreOffice(await writePptx(papers.tugs, ['Only the Torvald may push within the lock.']), 'pptx', 'ppt'),
  'visitors.html': async () => writeHtml(papers.visitors),
  'winter-plan.pptx': () =>
    writePptx(papers.winter, ['The harbour master Odd Ferring decides alone when the fairway is closed.']),
}
await mkdir(folder, { recursive: true })
const named = process.argv.slice(2)
for (const name of named.length === 0 ? Object.keys(files) : named) {
  const make = files[name]
  if (make === undefined) throw new Error(`'${name}' is none of ${Object.keys(files).join(', ')}`)
  const bytes = await make()
  await writeFile(join(folder, name), bytes)
  console.log(`${name}  ${Math.round(bytes.length / 1024)} KB`)
}
