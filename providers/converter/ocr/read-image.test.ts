// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../../../tests/helpers/conversion/pdfkit.d.ts" />
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiteParse } from '@llamaindex/liteparse'
import PDFDocument from 'pdfkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { written } from '../../../tests/helpers/conversion/writers.ts'
import { readDocument } from '../work/convert-document.ts'

let cacheDir: string
beforeAll(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'rag-ladder-ocr-'))
})
afterAll(() => rm(cacheDir, { recursive: true, force: true }))

/** Warnings of the conversion of a picture of a page with this text. */
async function warningsOf(text: string, font: string): Promise<string[]> {
  const pdf = new PDFDocument({ margin: 60 })
  const done = written(pdf)
  pdf.font(font).fontSize(13).text(text).end()
  const [page] = await new LiteParse({ ocrEnabled: false, quiet: true, dpi: 200 }).screenshot(await done, [1])
  const options = { useOcr: 'auto', tableMode: 'fast', formulas: true, codeBlocks: true } as const
  const { ocrPages, warnings } = await readDocument(page!.imageBuffer, 'page.png', {
    ...options,
    cacheDir,
    tableModelDir: cacheDir,
  })
  expect(ocrPages).toBe(1)
  return warnings
}

const UNSURE =
  'page 1: text recognition is unsure of the words: it is installed for English only, and the page may be in another language or badly printed'

it('a picture of English print is read without a warning', async () => {
  const text = 'The crane on the quay lifts forty tons, and it is tested by the harbour master in spring. '
  expect(await warningsOf(text.repeat(4), 'Times-Roman')).toEqual([])
})

it('a picture of German print is read with a warning that names the page and the language of the recognition', async () => {
  const text = 'Der Kran am Kai hebt vierzig Tonnen und wird im Frühjahr durch den Hafenmeister geprüft. '
  expect(await warningsOf(text.repeat(4), 'Times-Roman')).toEqual([UNSURE])
})

it('a picture of print in another script is read with a warning', async () => {
  const text = 'O geranos sthn apobaqra shkwnei saranta tonous kai elegcetai apo ton limenarch thn anoixh. '
  expect(await warningsOf(text.repeat(4), 'Symbol')).toEqual([UNSURE])
})
