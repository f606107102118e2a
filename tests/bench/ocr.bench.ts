import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Table } from '../../providers/converter/model/document.ts'
import { openPpOcr } from '../../providers/converter/ocr/pp-ocr/pp-ocr.ts'
import { readFrame } from '../../providers/converter/ocr/read-image.ts'
import { createRecognizer } from '../../providers/converter/ocr/recognize.ts'
import type { Recognizer } from '../../providers/converter/ocr/recognize.ts'
import type { Raster } from '../../providers/converter/ocr/raster.ts'
import { openTesseract } from '../../providers/converter/ocr/tesseract.ts'
import { scanContents } from '../helpers/conversion/fixture-set.ts'
import { scannedPage } from '../helpers/conversion/scans.ts'
import type { Scan } from '../helpers/conversion/scans.ts'
import { blocksText, cellF1, contentText } from '../helpers/conversion/score.ts'
import type { Content, PdfLook } from '../helpers/conversion/writers.ts'
import { wordErrors } from '../helpers/word-errors.ts'
import { writePpOcr } from '../real/pp-ocr-folder.ts'
import { realWeights } from '../real/weights.ts'
import { shown } from './figure.ts'
import type { Figure } from './figure.ts'

const SCANS: readonly { name: string; look: PdfLook; scan: Scan }[] = [
  {
    name: 'PNG, 200 dpi, ruled tables',
    look: { columns: 1, table: 'ruled', size: 12 },
    scan: { dpi: 200, format: 'png' },
  },
  {
    name: 'JPEG, 200 dpi, borderless tables',
    look: { columns: 1, table: 'borderless', size: 12 },
    scan: { dpi: 200, format: 'jpeg', degrees: -0.3 },
  },
  {
    name: 'JPEG, 200 dpi, small print',
    look: { columns: 1, table: 'borderless', size: 8 },
    scan: { dpi: 200, format: 'jpeg', degrees: 0.5 },
  },
  {
    name: 'JPEG, 100 dpi, turned by 1°',
    look: { columns: 1, table: 'ruled', size: 12 },
    scan: { dpi: 100, format: 'jpeg', degrees: 1 },
  },
]

interface Page {
  content: Content
  raster: Raster
}

interface Score {
  characters: number
  wrongCharacters: number
  words: number
  wrongWords: number
  cells: number[]
  seconds: number
  cpuSeconds: number
}

/**
 * Recognition of our scans by Tesseract and by PP-OCR: errors per character and per word of the text that a conversion gives, table cells, and time.
 * Case and signs count; spaces and line breaks are one.
 */
export async function benchOcr(): Promise<Figure[]> {
  const weights = await realWeights('pp-ocr')
  if (weights.folder === null) throw new Error(weights.reason)
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-ocr-bench-'))
  try {
    await writePpOcr(weights.folder, join(folder, 'pp-ocr'))
    const engines: readonly [string, Recognizer][] = [
      ['Tesseract', createRecognizer(await openTesseract(folder))],
      ['PP-OCR', createRecognizer((await openPpOcr(join(folder, 'pp-ocr')))!)],
    ]
    const contents = await scanContents()
    const figures: Figure[] = []
    for (const { name, look, scan } of SCANS) {
      const pages: Page[] = []
      for (const content of contents)
        pages.push({ content, raster: await readFrame(await scannedPage(content, look, scan), 0) })
      for (const [engine, recognizer] of engines)
        figures.push(...figuresOf(`${name}, ${engine}`, await score(recognizer, pages)))
    }
    return figures
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function score(recognizer: Recognizer, pages: readonly Page[]): Promise<Score> {
  // The first page loads what the engine needs.
  await recognizer.page(pages[0]!.raster, 1, null)
  const total: Score = {
    characters: 0,
    wrongCharacters: 0,
    words: 0,
    wrongWords: 0,
    cells: [],
    seconds: 0,
    cpuSeconds: 0,
  }
  for (const { content, raster } of pages) {
    const before = process.cpuUsage()
    const started = performance.now()
    const { blocks } = await recognizer.page(raster, 1, null)
    total.seconds += (performance.now() - started) / 1000
    const cpu = process.cpuUsage(before)
    total.cpuSeconds += (cpu.user + cpu.system) / 1e6
    const [wanted, found] = [contentText(content), blocksText(blocks)].map((text) => text.trim().split(/\s+/))
    total.words += wanted!.length
    total.wrongWords += wordErrors(wanted!, found!)
    const [expected, read] = [Array.from(wanted!.join(' ')), Array.from(found!.join(' '))]
    total.characters += expected.length
    total.wrongCharacters += wordErrors(expected, read)
    const tables = blocks.filter((block): block is Table => block.kind === 'table')
    const truth = content.sections.flatMap(({ table }) => (table === undefined ? [] : [table]))
    total.cells.push(cellF1(truth, tables) ?? 1)
  }
  return total
}

function figuresOf(name: string, score: Score): Figure[] {
  const pages = score.cells.length
  return [
    shown(
      'E',
      `${name}: wrong characters of ${score.characters}`,
      (score.wrongCharacters / score.characters) * 100,
      '%',
    ),
    shown('E', `${name}: wrong words of ${score.words}`, (score.wrongWords / score.words) * 100, '%'),
    shown('E', `${name}: table cells F1`, score.cells.reduce((sum, cell) => sum + cell, 0) / pages, ''),
    shown('E', `${name}: time for a page`, score.seconds / pages, 's'),
    shown('E', `${name}: processor time for a page`, score.cpuSeconds / pages, 's'),
  ]
}
