import { utils, write } from '@e965/xlsx'
import { describe, expect, it } from 'vitest'
import { guessFormat, readQuestionFile } from './question-file.ts'

const CSV = `\uFEFFQuestion,Answer,Hops,Tags,Keys,Document,Fact,Document 2,Fact 2\r
"Who keeps the lock,
and since when?",Ida Moore,2,"people; time","Ida Moore|Moore; 1904",lock.md,"Ida Moore has kept the lock.",ida.md,"She came in 1904."\r
Who built it?,,,,,,,,\r
\r
`

describe('a table of questions', () => {
  it('has a question a row, with quoted commas and line breaks, keys, tags and several facts', async () => {
    expect(guessFormat(CSV)).toBe('csv')
    expect(await readQuestionFile(CSV, 'csv')).toMatchObject([
      {
        row: 2,
        problems: [],
        question: {
          query: 'Who keeps the lock,\nand since when?',
          ground_truth: 'Ida Moore',
          hops: 2,
          tags: ['people', 'time'],
          answer_keys: [['Ida Moore', 'Moore'], ['1904']],
          gold: [
            { document: 'lock.md', fact: 'Ida Moore has kept the lock.' },
            { document: 'ida.md', fact: 'She came in 1904.' },
          ],
        },
      },
      { row: 3, problems: [], question: { query: 'Who built it?', ground_truth: null, gold: [], answerable: true } },
    ])
  })

  it('is read with tabs and from a workbook too; numbers and dates stay as they are written', async () => {
    const tsv = 'id\tquestion\tanswerable\nq-7\tIn which year?\tno\n'
    expect(guessFormat(tsv)).toBe('tsv')
    const expected = { row: 2, question: { id: 'q-7', query: 'In which year?', answerable: false }, problems: [] }
    expect(await readQuestionFile(tsv, 'tsv')).toMatchObject([expected])
    const sheet = utils.aoa_to_sheet([
      ['id', 'question', 'answerable', 'answer'],
      ['q-7', 'In which year?', 'no', '007'],
    ])
    const book = utils.book_new(sheet, 'Questions')
    const bytes = write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
    expect(await readQuestionFile(bytes, 'xlsx')).toMatchObject([
      { ...expected, question: { ...expected.question, ground_truth: '007' } },
    ])
    expect(await readQuestionFile('question,answer\nWhen?,2024-01-05\n', 'csv')).toMatchObject([
      { question: { ground_truth: '2024-01-05' } },
    ])
  })

  it('returns each row that cannot be used with its reason, and the others', async () => {
    const rows = await readQuestionFile(
      'question,hops,answerable,fact\nA?,9,,\nB?,,maybe,\nC?,,,lost\n,1,,\nD?,,,\nE?,two,,\n',
      'csv',
    )
    expect(rows.map(({ row, question, problems }) => [row, question === null, problems])).toEqual([
      [2, true, [expect.stringMatching(/^hops: /)]],
      [3, true, ['answerable: expected yes or no, got "maybe"']],
      [4, true, [expect.stringMatching(/names no document/)]],
      [5, true, [expect.stringMatching(/^query: /)]],
      [6, false, []],
      [7, true, ['hops: expected a number, got "two"']],
    ])
  })

  it.each([
    ['to the end of the file', 'question,answer\nWho?,Ida\n"broken,Leeds\nWhere?,Leeds\n'],
    ['up to the quote of a later row', 'question,answer\nWho?,Ida\n"broken,Leeds\n"Where, then?",Leeds\n'],
    ['between semicolons', 'question;answer\n"Who, and when?";"Ida ""M."" Moore"\n"broken;Leeds\n'],
  ])('is refused whole where a quote is open %s, with its row', async (_where, text) => {
    await expect(readQuestionFile(text, 'csv')).rejects.toThrow(/^row 3: the cell that begins with "\\"broken/)
  })

  it('is cut at what its head has most of, whatever its cells hold', async () => {
    const rows = await readQuestionFile('question;answer\n"Who, and when?";"Ida ""M."" Moore, 1904"\n', 'csv')
    expect(rows).toMatchObject([{ question: { query: 'Who, and when?', ground_truth: 'Ida "M." Moore, 1904' } }])
  })

  it('keeps quotes inside cells that do not begin with one', async () => {
    const rows = await readQuestionFile(
      'question,answer\nWho wrote "Ida, or the lock"?,a 5" pipe\n,\n"Who?",""\n',
      'csv',
    )
    expect(rows.map(({ row, problems }) => [row, problems])).toEqual([
      [2, []],
      [4, []],
    ])
  })

  it('is refused whole where its head names no question, or a column that is none', async () => {
    await expect(readQuestionFile('answer\nx\n', 'csv')).rejects.toThrow('the first row names no column "question"')
    await expect(readQuestionFile('question,colour\nx,red\n', 'csv')).rejects.toThrow(
      /has "colour", which is not a column/,
    )
    await expect(readQuestionFile('question\n', 'csv')).rejects.toThrow('the file has no question')
  })
})

describe('questions as JSON', () => {
  it('are a list, an object with "questions", or an object a line', async () => {
    const one = { query: 'Who?', ground_truth: 'Ida', gold: [{ document: 'a.md' }] }
    for (const text of [JSON.stringify([one]), JSON.stringify({ questions: [one] })])
      expect(await readQuestionFile(text, 'json')).toMatchObject([{ row: 1, question: one, problems: [] }])
    const lines = `${JSON.stringify({ question: 'Who?', answer: 'Ida' })}\n\n{"query": \n${JSON.stringify({ query: 'X', colour: 1 })}\n`
    expect(guessFormat(lines)).toBe('jsonl')
    expect(await readQuestionFile(lines, 'jsonl')).toMatchObject([
      { row: 1, question: { query: 'Who?', ground_truth: 'Ida' } },
      { row: 3, question: null, problems: [expect.stringMatching(/^line 3 is not JSON: /)] },
      { row: 4, question: null, problems: [expect.stringContaining('colour')] },
    ])
  })
})
