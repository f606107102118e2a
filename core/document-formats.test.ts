import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DOCUMENT_FORMATS } from './document-formats.ts'

const ROOT = new URL('..', import.meta.url)

/** Files that may name several formats, apart from readers: the list, and the detection with the table of readers. */
const KNOWN = ['core/document-formats.ts', 'providers/converter/formats/formats.ts']

it('a product file that names three or more document formats reads them from the one list', () => {
  const files = execFileSync('git', ['ls-files', 'contract', 'core', 'main', 'providers', 'renderer', 'preload'], {
    cwd: ROOT,
  })
    .toString()
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
  expect(files.length).toBeGreaterThan(500)
  // HTML and pictures alone are named for other reasons: exports, drawings, reports.
  const office = Object.keys(DOCUMENT_FORMATS).filter((format) => /^(pdf|docx?|pptx?|xlsx)$/.test(format))
  const listing = files.filter((file) => {
    const text = readFileSync(new URL(file, ROOT), 'utf8')
    return office.filter((format) => new RegExp(`['"\`]\\.?${format}['"\`]`).test(text)).length >= 3
  })
  const isReader = (file: string): boolean => file.startsWith('providers/converter/formats/') && !KNOWN.includes(file)
  expect(listing.filter((file) => !isReader(file))).toEqual(KNOWN)
})

it('no extension belongs to two formats', () => {
  const all = Object.values(DOCUMENT_FORMATS).flatMap(({ extensions }) => extensions)
  expect(new Set(all).size).toBe(all.length)
})
