import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toMarkdown } from '../export/markdown.ts'
import { detectFormat } from './formats.ts'
import { readRtf } from './rtf.ts'

beforeEach(() => vi.stubEnv('LIBREOFFICE_PATH', '/nowhere/soffice'))
afterEach(() => vi.unstubAllEnvs())

const rtf = (body: string): Buffer =>
  Buffer.from(
    `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\generator Program 1;}{\\info{\\title Hidden title}}\n${body}}`,
    'latin1',
  )
const text = async (body: string): Promise<string> => toMarkdown(await readRtf(rtf(body))).trim()

it('RTF is recognized whatever its name, and read as plain text with a warning', async () => {
  expect(detectFormat(rtf('x'), 'letter.doc')).toBe('rtf')
  expect(await readRtf(rtf('{\\b Hello} from\r\n RTF.\\par Second {\\header left out}line.\\par'))).toMatchObject({
    sourceFormat: 'rtf',
    blocks: [{ text: 'Hello from RTF.' }, { text: 'Second line.' }],
    warnings: [
      'read as plain text, without headings, tables, pictures, headers and footers: LibreOffice is not installed here',
    ],
  })
})

it('characters are those of the code page or of their number', async () => {
  expect(await text("Caf\\'e9 \\u8364?5 \\ldblquote x\\rdblquote  a\\~b soft\\-hyphen \\{\\}")).toBe(
    'Café €5 “x” a b softhyphen {}',
  )
  expect(await text('{\\uc2\\u26085 xx\\u26412 xx}')).toBe('日本')
})

it('powers keep their numbers, hidden text is left out and counted, numbers of lists are kept', async () => {
  const body = '{\\listtext 5.\\tab}mass 10{\\super 6} kg of H{\\sub 2}O{\\v secret}\\par\\v gone\\v0 here'
  const document = await readRtf(rtf(body))
  expect(toMarkdown(document)).toBe('5\\. mass 10^6 kg of H2O\n\nhere\n')
  expect(document.warnings.at(-1)).toBe('hidden text was left out in 2 places')
})
