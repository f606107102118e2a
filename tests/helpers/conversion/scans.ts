// pdfkit has no types; areas that import this file need the ones beside it.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./pdfkit.d.ts" />
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import PDFDocument from 'pdfkit'
import sharp from 'sharp'
import { writePdf, written, type Content, type PdfLook } from './writers.ts'

const run = promisify(execFile)

/** Each page of a PDF as poppler draws it, grey. */
async function drawPages(pdf: Buffer, dpi: number): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fixture-pages-'))
  try {
    await writeFile(join(folder, 'in.pdf'), pdf)
    await run('pdftoppm', ['-r', String(dpi), '-gray', '-png', join(folder, 'in.pdf'), join(folder, 'page')])
    const names = (await readdir(folder))
      .filter((name) => extname(name) === '.png')
      .sort((a, b) => basename(a).localeCompare(basename(b)))
    return await Promise.all(names.map((name) => readFile(join(folder, name))))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A drawn page as a flatbed scanner would give it: a little turned, off-white, unsharp. */
export async function scanned(
  page: Buffer,
  dpi: number,
  format: 'png' | 'jpeg' | 'tiff',
  degrees = 0.3,
): Promise<Buffer> {
  const turned = sharp(page)
    .rotate(degrees, { background: '#f8f8f6' })
    .linear(0.93, 8)
    .blur(0.5)
    .greyscale()
    .withMetadata({ density: dpi })
  if (format === 'png') return turned.png({ compressionLevel: 9, colours: 32 }).toBuffer()
  return format === 'jpeg'
    ? turned.jpeg({ quality: 80 }).toBuffer()
    : turned.tiff({ compression: 'deflate' }).toBuffer()
}

/** Pictures as one TIFF with a page for each; all are brought to the size of the first. */
export async function multiPageTiff(pages: readonly Buffer[], dpi: number): Promise<Buffer> {
  const { width, height } = await sharp(pages[0]).metadata()
  const same = await Promise.all(
    pages.map((page) => sharp(page).resize(width, height, { fit: 'fill' }).greyscale().png().toBuffer()),
  )
  return sharp(same, { join: { animated: true } })
    .withMetadata({ density: dpi })
    .tiff({ compression: 'deflate' })
    .toBuffer()
}

/** Pictures as a PDF that holds nothing else. */
export async function picturePdf(pages: readonly Buffer[], dpi: number): Promise<Buffer> {
  const sizes = await Promise.all(pages.map((page) => sharp(page).metadata()))
  const pdf = new PDFDocument({ autoFirstPage: false, info: { CreationDate: new Date(0) } })
  const done = written(pdf)
  pages.forEach((page, index) => {
    const size: [number, number] = [(sizes[index]!.width * 72) / dpi, (sizes[index]!.height * 72) / dpi]
    pdf.addPage({ size, margin: 0 }).image(page, 0, 0, { width: size[0], height: size[1] })
  })
  pdf.end()
  return done
}

export interface Scan {
  dpi: number
  format: 'png' | 'jpeg' | 'tiff'
  degrees?: number
}

/** The first page of a content as a scanner would give it. */
export async function scannedPage(content: Content, look: PdfLook, { dpi, format, degrees }: Scan): Promise<Buffer> {
  return scanned((await drawPages(await writePdf(content, look), dpi))[0]!, dpi, format, degrees)
}
