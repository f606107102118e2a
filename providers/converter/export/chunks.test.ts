import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleDocument } from '../../../tests/helpers/conversion/sample-document.ts'
import type { Block, Document } from '../model/document.ts'
import { tableOfRows } from '../model/table.ts'
import { chunkDocument } from './chunks.ts'

const documentOf = (blocks: Block[]): Document => ({
  sourceFormat: 'html',
  pages: [],
  blocks,
  images: [],
  warnings: [],
})
const paragraph = (text: string): Block => ({ kind: 'paragraph', text, place: null })

describe('chunkDocument', () => {
  it('keeps sections apart and gives section, page and kind', () => {
    expect(chunkDocument(sampleDocument(), 200, 20).map(({ text, metadata }) => [text.slice(0, 24), metadata])).toEqual(
      [
        [
          'Harbour <report> & more\n',
          { chunk_index: 0, chunk_type: 'text', section_title: 'Harbour <report> & more', page: 1 },
        ],
        [
          'Table 1: traffic\n\n| Port',
          { chunk_index: 1, chunk_type: 'table', section_title: 'Harbour <report> & more', page: 1 },
        ],
        ['Code', { chunk_index: 2, chunk_type: 'text', section_title: 'Code', page: 2 }],
        ['if a < b:\n    print("```', { chunk_index: 3, chunk_type: 'code', section_title: 'Code', page: 2 }],
        ['E = mc^{2}', { chunk_index: 4, chunk_type: 'formula', section_title: 'Code', page: 2 }],
        ['Figure 1: the quay\n\nThe ', { chunk_index: 5, chunk_type: 'text', section_title: 'Code', page: 2 }],
      ],
    )
  })

  it('repeats the header of a table that is cut', () => {
    const rows = [['Port', 'Ships'], ...Array.from({ length: 20 }, (_, index) => [`Port ${index}`, String(index)])]
    const chunks = chunkDocument(documentOf([tableOfRows(rows, true, null)]), 120, 0)
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.every(({ text }) => text.startsWith('| Port | Ships |\n| --- | --- |\n| Port '))).toBe(true)
    expect(chunks.flatMap(({ text }) => text.split('\n').slice(2))).toHaveLength(20)
  })

  it('loses no word, keeps to the size and goes on, whatever the text', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }), {
      minLength: 1,
      maxLength: 80,
    })
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 200 }), fc.integer({ min: 0, max: 100 }), (list, size, wanted) => {
        const text = list.join(' ')
        const chunks = chunkDocument(documentOf([paragraph(text)]), size, Math.min(wanted, Math.floor(size / 2)))
        const glued = chunks
          .map((chunk) => chunk.text)
          .join('')
          .replaceAll(/\s/g, '')
        const plain = text.replaceAll(/\s/g, '')
        expect(chunks.every((chunk) => chunk.text.length <= size)).toBe(true)
        expect(glued.length).toBeGreaterThanOrEqual(plain.length)
        if (wanted === 0) expect(glued).toBe(plain)
      }),
      { numRuns: 200 },
    )
  })

  it('chunks that are cut between paragraphs share whole words, within the size', () => {
    const texts = ['alpha', 'beta', 'gamma', 'delta'].map((word) => `${word} `.repeat(25).trim())
    const chunks = chunkDocument(documentOf(texts.map(paragraph)), 200, 60).map(({ text }) => text)
    expect(chunks.length).toBeGreaterThan(2)
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.length).toBeLessThanOrEqual(200)
      if (index === 0) continue
      const shared = chunk.split('\n\n')[0]!
      expect(shared.length).toBeGreaterThan(20)
      expect(chunks[index - 1]!.endsWith(shared)).toBe(true)
    }
    const apart = chunkDocument(documentOf(texts.map(paragraph)), 200, 0).map(({ text }) => text)
    expect(apart.join(' ').split(/\s+/)).toEqual(texts.join(' ').split(' '))
  })

  it('refuses a document of more chunks than may be returned', () => {
    const many = documentOf([paragraph('word '.repeat(30_000))])
    expect(() => chunkDocument(many, 10, 0)).toThrow('at most 10000 are returned')
  })
})
