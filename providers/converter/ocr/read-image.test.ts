// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../../../tests/helpers/conversion/pdfkit.d.ts" />
import { LiteParse } from '@llamaindex/liteparse'
import PDFDocument from 'pdfkit'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { picturePdf } from '../../../tests/helpers/conversion/scans.ts'
import { written } from '../../../tests/helpers/conversion/writers.ts'
import { readDocument } from '../work/convert-document.ts'
import { readOptions } from '../../../tests/helpers/read-options.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const cacheDir = suiteFolder('ocr')

/** Warnings of the conversion of a picture of a page with this text. */
async function warningsOf(text: string, font: string): Promise<string[]> {
  const pdf = new PDFDocument({ margin: 60 })
  const done = written(pdf)
  pdf.font(font).fontSize(13).text(text).end()
  const [page] = await new LiteParse({ ocrEnabled: false, quiet: true, dpi: 200 }).screenshot(await done, [1])
  const { ocrPages, warnings } = await readDocument(page!.imageBuffer, 'page.png', readOptions(cacheDir))
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

const drawn = (text: string, fill: string, ground: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="220">${ground}<text x="60" y="120" fill="${fill}" font-family="sans-serif" font-size="54">${text}</text></svg>`,
  )
const read = (bytes: Buffer, useOcr: 'auto' | 'never' = 'auto') =>
  readDocument(bytes, 'page', { ...readOptions(cacheDir), useOcr })

it.each([
  ['white print on nothing', 'white', ''],
  ['black print on nothing', 'black', ''],
  ['dark print on a white sheet', 'black', '<rect x="40" y="40" width="900" height="140" fill="white"/>'],
])('%s is read', async (_, fill, ground) => {
  const { blocks } = await read(
    await sharp(drawn('The old mill', fill, ground))
      .png()
      .toBuffer(),
  )
  expect(blocks).toMatchObject([{ text: 'The old mill' }])
})

it('a WebP picture is read', async () => {
  const { blocks, sourceFormat } = await read(
    await sharp(drawn('The old mill', 'black', ''))
      .webp()
      .toBuffer(),
  )
  expect([sourceFormat, blocks]).toMatchObject(['webp', [{ text: 'The old mill' }]])
})

it('a picture that is not recognized, and such a page of a PDF, are named in a warning', async () => {
  const picture = await sharp(drawn('The old mill', 'black', '<rect width="1000" height="220" fill="white"/>'))
    .png()
    .toBuffer()
  const warning = 'page 1: a picture whose text was not read, because text recognition is off (use_ocr is never)'
  expect((await read(picture, 'never')).warnings).toEqual([warning])
  expect((await read(await picturePdf([picture], 72), 'never')).warnings).toEqual([warning])
})

it.each([
  ['a HEIC picture', Buffer.from('\0\0\0\x1cftypheic\0\0\0\0mif1heic', 'latin1'), /HEIC picture: export it as JPEG/],
  ['a GIF picture', Buffer.from('GIF89a\x01\0'), /GIF picture/],
  ['an empty file', Buffer.alloc(0), /the file is empty/],
])('%s is named as what it is', async (_, bytes, message) => {
  await expect(read(bytes)).rejects.toMatchObject({ code: 'unsupported', message: expect.stringMatching(message) })
})
