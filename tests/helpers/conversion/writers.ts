// pdfkit has no types; areas that import this file need the ones beside it.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./pdfkit.d.ts" />
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from 'docx'
import PDFDocument from 'pdfkit'
import * as pptx from 'pptxgenjs'

const run = promisify(execFile)

/** The content of a fixture, whatever program writes it. */
export interface Content {
  title: string
  sections: { heading: string; paragraphs: string[]; items?: string[]; table?: string[][] }[]
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A web page as a person would write it. */
export function writeHtml({ title, sections }: Content): Buffer {
  const body = sections.map(({ heading, paragraphs, items = [], table = [] }) => {
    const list = items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${escape(item)}`).join('\n')}</ul>`
    const rows = table.map(
      (row, index) =>
        `<tr>${row.map((cell) => (index === 0 ? `<th>${escape(cell)}</th>` : `<td>${escape(cell)}</td>`)).join('')}</tr>`,
    )
    return `<h2>${escape(heading)}</h2>${paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n')}${list}${rows.length === 0 ? '' : `<table>${rows.join('\n')}</table>`}`
  })
  return Buffer.from(
    `<!doctype html><html lang="en"><head><title>${escape(title)}</title><style>p { color: #222 }</style></head><body><h1>${escape(title)}</h1>${body.join('\n')}</body></html>`,
  )
}

/** A Word file by docx. */
export async function writeDocx({ title, sections }: Content): Promise<Buffer> {
  const children = [
    new Paragraph({ text: title, heading: HeadingLevel.HEADING_1 }),
    ...sections.flatMap(({ heading, paragraphs, items = [], table }) => [
      new Paragraph({ text: heading, heading: HeadingLevel.HEADING_2 }),
      ...paragraphs.map((text) => new Paragraph({ text, spacing: { after: 160 } })),
      ...items.map((text) => new Paragraph({ text, bullet: { level: 0 } })),
      ...(table === undefined
        ? []
        : [
            new Table({
              rows: table.map(
                (row) =>
                  new TableRow({ children: row.map((text) => new TableCell({ children: [new Paragraph(text)] })) }),
              ),
              width: { size: 9000, type: 'dxa' },
            }),
            new Paragraph(''),
          ]),
    ]),
  ]
  return Packer.toBuffer(new Document({ sections: [{ children }] }))
}

/** Slides by pptxgenjs: one per section, its table below its text. */
export async function writePptx({ title, sections }: Content, notes: readonly string[] = []): Promise<Buffer> {
  // Its types describe a CommonJS module; what Node gives is the class itself.
  const PptxGenJS = pptx.default as unknown as typeof pptx.default.default
  const show = new PptxGenJS()
  show.defineSlideMaster({
    title: 'PLAIN',
    objects: [{ placeholder: { options: { name: 'title', type: 'title', x: 0.5, y: 0.3, w: 9, h: 0.8 }, text: '' } }],
  })
  const first = show.addSlide({ masterName: 'PLAIN' })
  first.addText(title, { placeholder: 'title' })
  sections.forEach(({ heading, paragraphs, items = [], table }, index) => {
    const slide = show.addSlide({ masterName: 'PLAIN' })
    slide.addText(heading, { placeholder: 'title' })
    const lines = [
      ...paragraphs.map((text) => ({ text, options: { breakLine: true } })),
      ...items.map((text) => ({ text, options: { bullet: true, breakLine: true } })),
    ]
    if (lines.length > 0) slide.addText(lines, { x: 0.5, y: 1.2, w: 9, h: 2, fontSize: 12 })
    if (table !== undefined)
      slide.addTable(
        table.map((row) => row.map((text) => ({ text }))),
        { x: 0.5, y: 3.4, w: 9, fontSize: 12 },
      )
    const note = notes[index]
    if (note !== undefined) slide.addNotes(note)
  })
  return (await show.write({ outputType: 'nodebuffer' })) as Buffer
}

/** Returns what pdfkit writes, once it has ended. */
export function written(pdf: InstanceType<typeof PDFDocument>): Promise<Buffer> {
  const parts: Buffer[] = []
  return new Promise((resolve) => {
    pdf.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)))
  })
}

export interface PdfLook {
  columns: 1 | 2
  table: 'ruled' | 'borderless'
  /** Points. */
  size?: number
}

/** A PDF by pdfkit. */
export function writePdf({ title, sections }: Content, { columns, table: look, size = 11 }: PdfLook): Promise<Buffer> {
  const pdf = new PDFDocument({ margin: 60, size: 'A4', info: { CreationDate: new Date(0) } })
  const done = written(pdf)
  const width = pdf.page.width - 120
  pdf.font('Helvetica-Bold').fontSize(20).text(title)
  for (const { heading, paragraphs, items = [], table } of sections) {
    if (pdf.y > 640) pdf.addPage()
    pdf.moveDown().font('Helvetica-Bold').fontSize(14).text(heading, 60, pdf.y, { width })
    pdf.moveDown(0.5).font('Times-Roman').fontSize(size)
    const text = paragraphs.join('\n\n')
    if (columns === 1) pdf.text(text, 60, pdf.y, { width })
    else {
      const gap = 24
      const height = pdf.heightOfString(text, { width: (width - gap) / 2 }) / 2 + size * 2
      if (pdf.y + height > pdf.page.height - 60) pdf.addPage()
      const top = pdf.y
      pdf.text(text, 60, top, { width, columns: 2, columnGap: gap, height })
      pdf.x = 60
      pdf.y = top + height + size
    }
    if (items.length > 0) pdf.moveDown(0.5).text(items.map((item) => `• ${item}`).join('\n'), 60, pdf.y, { width })
    if (table !== undefined) drawTable(pdf, table, look, width, size)
  }
  pdf.end()
  return done
}

function drawTable(
  pdf: InstanceType<typeof PDFDocument>,
  rows: readonly string[][],
  look: PdfLook['table'],
  width: number,
  size: number,
): void {
  const rowHeight = size + 10
  if (pdf.y + rowHeight * (rows.length + 2) > pdf.page.height - 60) pdf.addPage()
  const top = pdf.y + size
  const column = width / rows[0]!.length
  rows.forEach((row, y) =>
    row.forEach((text, x) => {
      if (look === 'ruled')
        pdf
          .rect(60 + x * column, top + y * rowHeight, column, rowHeight)
          .lineWidth(0.7)
          .stroke()
      pdf.text(text, 66 + x * column, top + y * rowHeight + 5, { width: column - 8, lineBreak: false })
    }),
  )
  pdf.x = 60
  pdf.y = top + rows.length * rowHeight + size
}

/** Another form of a file, by LibreOffice. */
export async function viaLibreOffice(bytes: Buffer, from: string, to: string, stem = 'document'): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'fixture-office-'))
  try {
    await writeFile(join(folder, `${stem}.${from}`), bytes)
    const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
    await run('soffice', [
      profile,
      '--headless',
      '--convert-to',
      to,
      '--outdir',
      folder,
      join(folder, `${stem}.${from}`),
    ])
    return await readFile(join(folder, `${stem}.${to}`))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A PDF that only opens with a password. */
export function writeEncryptedPdf(text: string): Promise<Buffer> {
  const pdf = new PDFDocument({ userPassword: 'secret' })
  const done = written(pdf)
  pdf.text(text).end()
  return done
}
