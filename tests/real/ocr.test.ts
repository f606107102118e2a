import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findOnPath } from '../../build/e2e/find-program.ts'
import { PP_OCR_MODEL } from '../../providers/converter/model-routes.ts'
import { PP_OCR_FILES } from '../../providers/converter/ocr/pp-ocr/files.ts'
import { readDocument } from '../../providers/converter/work/convert-document.ts'
import { scanContents } from '../helpers/conversion/fixture-set.ts'
import { scannedPage } from '../helpers/conversion/scans.ts'
import { blocksText, contentText } from '../helpers/conversion/score.ts'
import type { Content } from '../helpers/conversion/writers.ts'
import { readOptions } from '../helpers/read-options.ts'
import { wordErrors } from '../helpers/word-errors.ts'
import { writePpOcr } from './pp-ocr-folder.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const found = await realWeights('pp-ocr')
const weights =
  findOnPath(['pdftoppm']) === null
    ? { folder: null, reason: 'pdftoppm draws the scans: install poppler-utils, or run npm test -- --install' }
    : found
skipWithout(weights)

let folder: string
let content: Content
let scan: Buffer
beforeAll(async () => {
  if (weights.folder === null) return
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-ocr-'))
  await writePpOcr(weights.folder, join(folder, 'pp-ocr'))
  content = (await scanContents())[0]!
  scan = await scannedPage(content, { columns: 1, table: 'ruled', size: 12 }, { dpi: 200, format: 'png' })
})

afterAll(async () => {
  if (weights.folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const read = (bytes: Uint8Array, ppOcrDir: string) =>
  readDocument(bytes, 'scan.png', { ...readOptions(folder), ppOcrDir })

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Words that a conversion gives wrong, case and signs included. */
const wrongWords = (blocks: Parameters<typeof blocksText>[0]): number =>
  wordErrors(words(contentText(content)), words(blocksText(blocks)))

it('PP-OCR reads a scanned page with a heading, text and a table, with at most two wrong words', async () => {
  const { blocks, ocrPages, warnings } = await read(scan, join(folder, 'pp-ocr'))
  expect(wrongWords(blocks)).toBeLessThanOrEqual(2)
  expect(blocks.map(({ kind }) => kind)).toContain('table')
  expect([ocrPages, warnings]).toEqual([1, []])
})

it('PP-OCR reads a page that was scanned upside down', async () => {
  const { blocks } = await read(await sharp(scan).rotate(180).png().toBuffer(), join(folder, 'pp-ocr'))
  expect(wrongWords(blocks)).toBeLessThanOrEqual(4)
})

it('Tesseract takes the place of weights that are missing, and the warning names the folder', async () => {
  const nowhere = join(folder, 'nowhere')
  const { blocks, warnings } = await read(scan, nowhere)
  expect(wrongWords(blocks)).toBeLessThanOrEqual(4)
  expect(warnings).toEqual([`PP-OCR is not installed in ${nowhere}; Tesseract recognized the text`])
})

it('a dictionary that does not fit the network is named, and Tesseract takes its place', async () => {
  const damaged = join(folder, 'damaged')
  await cp(join(folder, 'pp-ocr'), damaged, { recursive: true })
  await writeFile(join(damaged, PP_OCR_FILES.characters), 'a\nb\n')
  const { warnings } = await read(scan, damaged)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(
    /cannot be used: its recognition network gives \[1, \d+, 18385\], which does not fit the 2 characters of characters\.txt; Tesseract/,
  )
})

it('the dictionary of the package is the one that the product downloads', async () => {
  const dictionary = await readFile(join(folder, 'pp-ocr', PP_OCR_FILES.characters))
  const declared = PP_OCR_MODEL.files.find(({ path }) => path === PP_OCR_FILES.characters)!
  expect(dictionary.length).toBe(declared.sizeBytes)
  expect(createHash('sha256').update(dictionary).digest('hex')).toBe(declared.sha256)
})
