import { utils, write, type WorkBook } from '@e965/xlsx'
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
    expect((await readQuestionFile(CSV, 'csv')).rows).toMatchObject([
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
    expect((await readQuestionFile(tsv, 'tsv')).rows).toMatchObject([expected])
    const sheet = utils.aoa_to_sheet([
      ['id', 'question', 'answerable', 'answer'],
      ['q-7', 'In which year?', 'no', '007'],
    ])
    const book = utils.book_new(sheet, 'Questions')
    const bytes = write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
    expect((await readQuestionFile(bytes, 'xlsx')).rows).toMatchObject([
      { ...expected, question: { ...expected.question, ground_truth: '007' } },
    ])
    expect((await readQuestionFile('question,answer\nWhen?,2024-01-05\n', 'csv')).rows).toMatchObject([
      { question: { ground_truth: '2024-01-05' } },
    ])
  })

  it('is a list of plain lines too: the answer follows the question mark', async () => {
    const lines =
      'Who keeps the lock, and since when? | Ida Moore, 1904\n\nWhen does it open?\tAt six.\nWho built it?\nNo mark\n'
    expect(guessFormat(lines)).toBe('txt')
    expect((await readQuestionFile(lines, 'txt')).rows).toMatchObject([
      { row: 1, question: { query: 'Who keeps the lock, and since when?', ground_truth: 'Ida Moore, 1904' } },
      { row: 3, question: { query: 'When does it open?', ground_truth: 'At six.' } },
      { row: 4, question: { query: 'Who built it?', ground_truth: null } },
      { row: 5, question: null, problems: [expect.stringContaining('no question mark')] },
    ])
    // A quoted cell, and a head, are of a table.
    expect(guessFormat('"Who, and when?",Ida\n')).toBe('csv')
    expect(guessFormat('question\tanswer\nWho?\tIda\n')).toBe('tsv')
  })

  it('returns each row that cannot be used with its reason, and the others', async () => {
    const { rows } = await readQuestionFile(
      'question,hops,answerable,fact\nA?,21,,\nB?,,maybe,\nC?,,,lost\n,1,,\nD?,,,\nE?,two,,\n',
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
    const { rows } = await readQuestionFile('question;answer\n"Who, and when?";"Ida ""M."" Moore, 1904"\n', 'csv')
    expect(rows).toMatchObject([{ question: { query: 'Who, and when?', ground_truth: 'Ida "M." Moore, 1904' } }])
  })

  it('keeps quotes inside cells that do not begin with one', async () => {
    const { rows } = await readQuestionFile(
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

it('questions as JSON are a list, an object with "questions", or an object a line', async () => {
  const one = { query: 'Who?', ground_truth: 'Ida', gold: [{ document: 'a.md' }] }
  for (const text of [JSON.stringify([one]), JSON.stringify({ questions: [one] })])
    expect((await readQuestionFile(text, 'json')).rows).toMatchObject([{ row: 1, question: one, problems: [] }])
  const lines = `${JSON.stringify({ question: 'Who?', answer: 'Ida' })}\n\n{"query": \n${JSON.stringify({ query: 'X', colour: 1 })}\n`
  expect(guessFormat(lines)).toBe('jsonl')
  expect((await readQuestionFile(lines, 'jsonl')).rows).toMatchObject([
    { row: 1, question: { query: 'Who?', ground_truth: 'Ida' } },
    { row: 3, question: null, problems: [expect.stringMatching(/^line 3 is not JSON: /)] },
    { row: 4, question: null, problems: [expect.stringContaining('colour')] },
  ])
})

describe('a workbook as people keep it', () => {
  const bytesOf = (book: WorkBook): Buffer => write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
  const QUESTIONS = [
    ['question', 'answer'],
    ['Who keeps the lock?', 'Ida'],
    ['Who built it?', 'Emil'],
  ]

  it('is read from the first sheet that is shown and asks questions; hidden sheets and rows are left out and named', async () => {
    const book = utils.book_new(utils.aoa_to_sheet([['question'], ['A draft?']]), 'Drafts')
    utils.book_append_sheet(book, utils.aoa_to_sheet([['Read me first']]), 'Note')
    const sheet = utils.aoa_to_sheet(QUESTIONS)
    sheet['!rows'] = [{}, { hidden: true }, {}]
    utils.book_append_sheet(book, sheet, 'Questions')
    book.Workbook = { Sheets: [{ Hidden: 1 }, { Hidden: 0 }, { Hidden: 0 }] }
    const { rows, notices } = await readQuestionFile(bytesOf(book), 'xlsx')
    expect(rows).toMatchObject([{ row: 3, question: { query: 'Who built it?', ground_truth: 'Emil' } }])
    expect(notices).toEqual(['only the sheet "Questions" was read, of 3', '1 hidden row was left out'])
  })

  it('has dates, shares and long numbers as they are shown, whatever program wrote their format', async () => {
    const sheet = utils.aoa_to_sheet([
      ['question', 'answer'],
      ...['When?', 'What share?', 'How many?'].map((each) => [each]),
    ])
    sheet['!ref'] = 'A1:B4'
    sheet['B2'] = { t: 'n', v: 11447, z: 'dd.mm.yyyy' }
    sheet['B3'] = { t: 'n', v: 0.075, z: '0.0 %' }
    sheet['B4'] = { t: 'n', v: 1234567890123 }
    const { rows } = await readQuestionFile(bytesOf(utils.book_new(sheet, 'Questions')), 'xlsx')
    expect(rows.map(({ question }) => question?.ground_truth)).toEqual(['04.05.1931', '7.5 %', '1234567890123'])
  })

  it('refuses a row whose formula has no stored value, by its cell', async () => {
    const sheet = utils.aoa_to_sheet(QUESTIONS)
    sheet['B3'] = { t: 'n', f: '1+1' }
    const { rows } = await readQuestionFile(bytesOf(utils.book_new(sheet, 'Questions')), 'xlsx')
    expect(rows[1]).toMatchObject({ row: 3, question: null })
    expect(rows[1]!.problems[0]).toMatch(/^B3: a formula whose value is not stored/)
  })
})

describe('text from other programs', () => {
  it('is read in Windows-1252 and in UTF-16, and refused by the name of its encoding', async () => {
    const ansi = Buffer.from('question;answer\nWo liegt die M\xfchle?;T\xf8rnby\n', 'latin1')
    expect((await readQuestionFile(ansi, 'csv')).rows).toMatchObject([
      { question: { query: 'Wo liegt die Mühle?', ground_truth: 'Tørnby' } },
    ])
    const utf16 = Buffer.from('\uFEFFquestion\tanswer\nWo?\tTørnby\n', 'utf16le')
    expect((await readQuestionFile(utf16, 'tsv')).rows).toMatchObject([{ question: { ground_truth: 'Tørnby' } }])
    await expect(readQuestionFile(utf16.subarray(2), 'tsv')).rejects.toThrow('UTF-16 without a byte order mark')
  })

  it('may have characters without a width in its head, numbers as ids and answers, and null for what is missing', async () => {
    expect((await readQuestionFile('\u200Bquestion,\u00A0answer\nWho?,Ida\n', 'csv')).rows).toMatchObject([
      { question: { query: 'Who?', ground_truth: 'Ida' } },
    ])
    const line = '{"id":7,"question":"How many?","answer":12,"gold":null,"tags":null}'
    expect((await readQuestionFile(line, 'jsonl')).rows).toMatchObject([
      { problems: [], question: { id: '7', ground_truth: '12', gold: [], tags: [] } },
    ])
  })
})
