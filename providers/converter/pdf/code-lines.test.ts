import { expect, it } from 'vitest'
import type { Block } from '../model/document.ts'
import { wholeCode } from './code-lines.ts'

const LINE = 12
/** A block that begins on a line of the page, 300 points wide. */
const at = (kind: 'paragraph' | 'code', line: number, text: string, left = 60, lines = 1): Block => {
  const box = { left, top: line * LINE, right: left + 300, bottom: (line + lines) * LINE }
  const place = { page: 1, box }
  return kind === 'code' ? { kind, language: null, text, place } : { kind, text, place }
}
const shapes = (blocks: readonly Block[]): unknown[] =>
  blocks.map((block) => [block.kind, 'text' in block && block.text])

it('a line of a sentence with a word in a typewriter font belongs to its paragraph', () => {
  const blocks = [
    at('paragraph', 1, 'To begin, fill in the fields to be completed at top of the'),
    at('code', 2, 'template.tex file. These fields include the head-'),
    at('paragraph', 3, 'ers for your conference and your paper number.'),
    at('paragraph', 6, 'Another paragraph.'),
  ]
  expect(shapes(wholeCode(blocks, []))).toEqual([
    [
      'paragraph',
      'To begin, fill in the fields to be completed at top of the template.tex file. These fields include the headers for your conference and your paper number.',
    ],
    ['paragraph', 'Another paragraph.'],
  ])
})

it('lines of code that follow each other are one block, indented as on the page', () => {
  const lines = ['def lift(crane):', 'return crane + 1', 'print(lift(2))']
  const blocks = [
    at('paragraph', 1, 'The crane is lifted by this function:'),
    ...lines.map((text, index) => at('code', 3 + index, text)),
  ]
  const items = lines.map((text, index) => ({
    text,
    x: index === 1 ? 84 : 60,
    y: (3 + index) * LINE,
    width: text.length * 6,
    height: LINE,
  }))
  expect(shapes(wholeCode(blocks, items))).toEqual([
    ['paragraph', 'The crane is lifted by this function:'],
    ['code', 'def lift(crane):\n    return crane + 1\nprint(lift(2))'],
  ])
})

it('code after a colon, code set off from the text and code on its own stay code', () => {
  const sentence = 'The package is installed by the following command:'
  const open = 'The package is installed by the following command'
  for (const blocks of [
    [at('paragraph', 1, sentence), at('code', 2, 'apt install the package')],
    [at('paragraph', 1, open), at('code', 3, 'apt install the package')],
    [at('paragraph', 1, open), at('code', 2, 'apt install the package', 84)],
    [at('code', 2, 'apt install the package')],
  ])
    expect(shapes(wholeCode(blocks, [])).at(-1)).toEqual(['code', 'apt install the package'])
})
