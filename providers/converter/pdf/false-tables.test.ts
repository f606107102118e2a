import { expect, it } from 'vitest'
import { tableOfRows } from '../model/table.ts'
import { plainTable } from './false-tables.ts'

const shapes = (rows: readonly string[][], runs: readonly string[] = []): unknown[] =>
  plainTable(tableOfRows(rows, false, { page: 1, box: null }), runs).map((block) =>
    block.kind === 'table' ? `table of ${block.rows}` : [block.kind, 'text' in block ? block.text : null],
  )

it('a table of contents becomes its lines, joined where the rules cut a title', () => {
  const contents = [
    ['1', 'Welcome to', 'Debian', '1'],
    ['1.1', 'What is', 'Debian?', '1'],
    ['1.2', 'What is', 'GNU/Linux? . . . . . .', '2'],
    ['2', 'System', 'Requirements', '5'],
  ]
  expect(shapes(contents)).toEqual([
    ['list_item', '1 Welcome to Debian 1'],
    ['list_item', '1.1 What is Debian? 1'],
    ['list_item', '1.2 What is GNU/Linux? 2'],
    ['list_item', '2 System Requirements 5'],
  ])
})

it('two dotted lines to page numbers are contents, also where dots came into the cell of the page', () => {
  expect(
    shapes([
      ['4.3', 'DER functions . . . . . . . . .', '15'],
      ['4.4', 'Error handling functions. . . .', '. 22'],
    ]),
  ).toEqual([
    ['list_item', '4.3 DER functions 15'],
    ['list_item', '4.4 Error handling functions 22'],
  ])
})

it('justified text with wide spaces below each other is a paragraph: a word goes on from line to line', () => {
  const rows = [
    ['The program makes a', 'list of all words and shows each of them in a concor-'],
    ['dance, where the words around', 'it can be read, which is quicker than'],
    ['to search for it in the', 'text itself.'],
  ]
  expect(shapes(rows)).toEqual([
    [
      'paragraph',
      'The program makes a list of all words and shows each of them in a concordance, where the words around it can be read, which is quicker than to search for it in the text itself.',
    ],
  ])
  // In a table, the divided word goes on below itself.
  const table = [
    ['Concordance of all', 'A list of the words of a text and of the words that are around them, by fre-'],
    ['', 'quency or by letter'],
    ['Index', 'A list of the words alone, with the numbers of their pages'],
  ]
  expect(shapes(table)).toEqual(['table of 3'])
})

it('a table whose last column counts something stays one', () => {
  const ranking = [
    ['1', 'Ragna', '48'],
    ['2', 'Torvald', '62'],
    ['3', 'Yrsa', '35'],
    ['4', 'Hanne', '21'],
  ]
  expect(shapes(ranking)).toEqual(['table of 4'])
  expect(
    shapes(
      [
        ['Tug', 'Pull'],
        ['Ragna', '48'],
        ['Yrsa', '35'],
      ],
      ['Tug', 'Pull', 'Ragna', '48', 'Yrsa', '35'],
    ),
  ).toEqual(['table of 3'])
})

it('a section that was cut below the gap of its heading becomes a heading and paragraphs again', () => {
  const rows = [
    ['4.5', 'Preparing Files for the Network'],
    ['If your', 'machine is connected to a local area network, you may be able to boot it from an-'],
    ['other', 'machine, which is quicker.'],
    ['', 'This section explains how.'],
    ['', '• Set up a server.'],
    ['', '• Ask for its address.'],
    ['A', 'machine without an address'],
  ]
  const runs = ['4.5', 'Preparing Files for the Network', ...rows.slice(1).map((row) => row.join(' ').trim())]
  expect(shapes(rows, runs)).toEqual([
    ['heading', '4.5 Preparing Files for the Network'],
    [
      'paragraph',
      'If your machine is connected to a local area network, you may be able to boot it from another machine, which is quicker.',
    ],
    ['paragraph', 'This section explains how.'],
    ['list_item', 'Set up a server.'],
    ['list_item', 'Ask for its address. A machine without an address'],
  ])
})

it('numbers that count the lines of a draft are no part of its text', () => {
  const rows = [
    ['12', 'There is a smooth function defined for every value of the'],
    ['13', 'argument that is bounded above and below by constants and'],
    ['14 which', 'vanishes at infinity as fast as any power of the distance'],
    ['15', 'from the centre of the disk. It is unique up to a factor.'],
  ]
  expect(shapes(rows)).toEqual([
    [
      'paragraph',
      'There is a smooth function defined for every value of the argument that is bounded above and below by constants and which vanishes at infinity as fast as any power of the distance from the centre of the disk. It is unique up to a factor.',
    ],
  ])
})

it('a framed listing is code, and a framed note is a paragraph', () => {
  expect(shapes([['# Set the mirror'], ['d-i mirror/protocol=http'], ['']])).toEqual([
    ['code', '# Set the mirror\nd-i mirror/protocol=http'],
  ])
  expect(shapes([['Back up your files'], ['before you start.']])).toEqual([
    ['paragraph', 'Back up your files before you start.'],
  ])
})
