import type * as Library from '@e965/xlsx'
import type { WorkSheet } from '@e965/xlsx'
import { decodedText, TextEncodingError } from '../../../core/decoded-text.ts'
import { describeIssues } from '../../../core/issues.ts'
import { Question, type GoldEvidence } from '../../../contract/manifests/queries.ts'
import { cellText, type FormatNumber, type SpreadsheetCell } from '../../../core/spreadsheet-cell.ts'

// Questions from files of others: a table (CSV, TSV, Excel) with a question in each row, or JSON (a list, or an object a line) with the fields of
// dataset.yaml. Nothing is guessed: a row that cannot be used is returned with its reason, beside those that can.
//
// Columns, in any order and case: `question` (or query), `answer` (or ground_truth), `id`, `answerable` (yes or no), `hops`, `tags` (separated by
// ";"), `keys` (points separated by ";", spellings of one by "|"), and the gold evidence as `document` and `fact`; further facts in `document 2` and
// `fact 2`, and so on. A document without a fact is gold evidence as a whole.
//
// Plain lines need no head: each is a question up to its first question mark, and after it the expected answer, with or without a tab, "|", ";" or
// "," between them.

export const QUESTION_FORMATS = ['csv', 'tsv', 'xlsx', 'jsonl', 'json', 'txt'] as const
export type QuestionFormat = (typeof QUESTION_FORMATS)[number]

/** The rows of a file, and what of it was left out. */
export interface QuestionRows {
  rows: QuestionRow[]
  /** Sentences about what is in the file and not in the rows, such as rows that the workbook hides. */
  notices: string[]
}

/** One row of the file, and the question of it or what is wrong. */
export interface QuestionRow {
  /** From 1; of a table with the head counted, of JSON the position in the list or the line. */
  row: number
  question: (Omit<Question, 'id'> & { id?: string }) | null
  problems: string[]
}

/** A file that holds no questions at all. */
export class QuestionFileError extends Error {
  override readonly name = 'QuestionFileError'
}

/** Returns what a text looks like: JSON by its first character, lines by a question mark in the first one, TSV by a tab in its head, else CSV. */
export function guessFormat(content: string): Exclude<QuestionFormat, 'xlsx'> {
  const text = content.trimStart()
  if (text.startsWith('[')) return 'json'
  if (text.startsWith('{')) return 'jsonl'
  const head = text.slice(0, /$/m.exec(text)!.index)
  if (/^[^"]+[?？]/.test(head)) return 'txt'
  return head.includes('\t') ? 'tsv' : 'csv'
}

/** A question up to its mark, and the answer after it. */
const LINE = /^(.+?[?？])\s*[|;,]?\s*(.*)$/

const lineRows = (text: string): QuestionRow[] =>
  text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const [, query, answer = ''] = LINE.exec(line.trim()) ?? []
    if (query === undefined)
      return [
        { row: index + 1, question: null, problems: ['the line has no question mark: end the question with one'] },
      ]
    return [checked(index + 1, { query, ...(answer === '' ? {} : { ground_truth: answer }) })]
  })

/**
 * Reads all rows. Text may come as bytes in UTF-8, UTF-16 with a byte order mark, or Windows-1252. Throws `QuestionFileError` for a file that is no
 * table or no JSON, has no row, or has another encoding.
 */
export async function readQuestionFile(content: string | Buffer, format: QuestionFormat): Promise<QuestionRows> {
  const read =
    format === 'xlsx' ? await workbookRows(content) : { rows: await rowsOfText(textOf(content), format), notices: [] }
  if (read.rows.length === 0)
    throw new QuestionFileError(['the file has no question: a head alone, or nothing', ...read.notices].join('; '))
  return read
}

function rowsOfText(text: string, format: Exclude<QuestionFormat, 'xlsx'>): QuestionRow[] | Promise<QuestionRow[]> {
  if (format === 'txt') return lineRows(text)
  return format === 'csv' || format === 'tsv' ? textRows(text, format) : jsonRows(text, format)
}

function textOf(content: string | Buffer): string {
  if (typeof content === 'string') return content.replace(/^\uFEFF/, '')
  try {
    return decodedText(content)
  } catch (error) {
    if (error instanceof TextEncodingError) throw new QuestionFileError(error.message)
    throw error
  }
}

function jsonRows(text: string, format: 'json' | 'jsonl'): QuestionRow[] {
  if (format === 'jsonl')
    return text
      .split('\n')
      .flatMap((line, index) => (line.trim() === '' ? [] : [jsonRow(index + 1, parsed(line, `line ${index + 1}`))]))
  const value = parsed(text, 'the file')
  if (value instanceof QuestionFileError) throw value
  const list = Array.isArray(value) ? value : (value as { questions?: unknown }).questions
  if (!Array.isArray(list)) throw new QuestionFileError('expected a list of questions, or an object with "questions"')
  return list.map((item, index) => jsonRow(index + 1, item))
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return new QuestionFileError(`${place} is not JSON: ${(error as Error).message}`)
  }
}

/** Ids and answers that other programs write as numbers. */
const asText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value

/** The names that tables use are taken too, and null is a field that is not there, as pandas writes it. */
function jsonRow(row: number, value: unknown): QuestionRow {
  if (value instanceof QuestionFileError) return { row, question: null, problems: [value.message] }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { row, question: null, problems: ['expected an object with "query"'] }
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
  const { question: query, answer: ground_truth, ...fields } = given
  const named: Record<string, unknown> = { query, ground_truth, ...fields }
  return checked(row, { ...named, id: asText(named['id']), ground_truth: asText(named['ground_truth']) })
}

/** The id is given later where the row has none. */
function checked(row: number, fields: Record<string, unknown>): QuestionRow {
  const { id, ...rest } = fields
  const outcome = Question.safeParse({ ...rest, id: id ?? 'new' })
  if (!outcome.success) return { row, question: null, problems: describeIssues(outcome.error) }
  const { id: own, ...question } = outcome.data
  return { row, question: id === undefined ? question : { ...question, id: own }, problems: [] }
}

const COLUMNS: Readonly<Record<string, string>> = {
  question: 'query',
  query: 'query',
  answer: 'ground_truth',
  ground_truth: 'ground_truth',
  expected_answer: 'ground_truth',
  id: 'id',
  answerable: 'answerable',
  hops: 'hops',
  tags: 'tags',
  keys: 'keys',
  answer_keys: 'keys',
}

const GOLD_COLUMN = /^(document|fact)(?:_?(\d+))?$/

/** Returns what separates the cells of a table: a tab, or what its first line has most of. */
function separatorOf(text: string, format: 'csv' | 'tsv' | 'xlsx'): string {
  if (format === 'tsv') return '\t'
  const head = text.slice(0, /$/m.exec(text)!.index)
  const counts = [',', ';', '\t', '|'].map((separator) => ({ separator, count: head.split(separator).length }))
  return counts.toSorted((a, b) => b.count - a.count)[0]!.separator
}

/** Throws for a quoted cell that does not end where its cell does: the table would go on inside it and lose the rows that follow. */
function requireClosedQuotes(text: string, separator: string): void {
  const quoted = /"[^"]*(?:""[^"]*)*(?:"|$)/y
  let row = 1
  for (let at = 0; at < text.length;) {
    if (text[at] === '"') {
      quoted.lastIndex = at
      const [cell] = quoted.exec(text)!
      const after = text[at + cell.length]
      const isClosed = cell.length > 1 && cell.endsWith('"') && cell.match(/"/g)!.length % 2 === 0
      if (!isClosed || (after !== undefined && after !== separator && !/[\r\n]/.test(after)))
        throw new QuestionFileError(
          `row ${row}: the cell that begins with ${JSON.stringify(cell.slice(0, 30))} has a quote that is not closed: end the cell with a quote, and write a quote inside it twice`,
        )
      at += cell.length
    } else while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') row += 1
    at += 1
  }
}

const HEADS = 'question, answer, id, answerable, hops, tags, keys, document and fact'

/** Characters without a width, which text copied from web pages brings, do not count in a name. */
const columnName = (head: string): string =>
  head
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

const asksQuestions = (head: readonly string[]): boolean => head.some((name) => COLUMNS[columnName(name)] === 'query')

async function textRows(text: string, format: 'csv' | 'tsv'): Promise<QuestionRow[]> {
  const { read, utils } = await import('@e965/xlsx')
  const separator = separatorOf(text, format)
  requireClosedQuotes(text, separator)
  const book = read(text, { type: 'string', raw: true, FS: separator })
  const sheet = book.Sheets[book.SheetNames[0] ?? '']
  return sheet === undefined ? [] : rowsOf(utils.sheet_to_json<string[]>(sheet, SHEET_AS_LISTS))
}

const SHEET_AS_LISTS = { header: 1, raw: false, defval: '', blankrows: true } as const

/** The library's own types leave its formatter open. */
type Spreadsheets = Pick<typeof Library, 'read' | 'utils'> & { SSF: { format: FormatNumber } }

/**
 * The rows of a workbook's first sheet that is shown and has a column "question". Hidden sheets and rows hold what their author took out, so they are
 * left out and named.
 */
async function workbookRows(content: string | Buffer): Promise<QuestionRows> {
  const { read, SSF: formatter, utils } = (await import('@e965/xlsx')) as Spreadsheets
  // Only with styles does the reader report hidden rows, and only with stubs formulas that were never computed.
  const book = read(content, {
    type: typeof content === 'string' ? 'string' : 'buffer',
    cellStyles: true,
    cellNF: true,
    sheetStubs: true,
  })
  for (const sheet of Object.values(book.Sheets)) showCells(sheet, formatter, book.Workbook?.WBProps?.date1904)
  const isHidden = (at: number): boolean => (book.Workbook?.Sheets?.[at]?.Hidden ?? 0) > 0
  const shown = book.SheetNames.flatMap((name, at) => (isHidden(at) ? [] : [name]))
  const tables = shown.map((name) => ({ name, sheet: book.Sheets[name]! }))
  const lists = tables.map(({ sheet }) => utils.sheet_to_json<string[]>(sheet, SHEET_AS_LISTS))
  const at = Math.max(
    0,
    lists.findIndex(([head = []]) => asksQuestions(head)),
  )
  const table = tables[at]
  if (table === undefined) return { rows: [], notices: [] }
  const { sheet } = table
  const first = utils.decode_range(sheet['!ref'] ?? 'A1').s.r
  const hidden = new Set(
    (sheet['!rows'] ?? []).flatMap(({ hidden: isOut = false }, index) => (isOut ? [index - first] : [])),
  )
  const missing = formulasWithoutValue(sheet)
  const rows = rowsOf(lists[at]!)
    .filter(({ row }) => !hidden.has(row - 1))
    .map((each) => {
      const cells = missing.get(each.row - 1 + first)
      if (cells === undefined) return each
      const problem = `${cells.join(', ')}: a formula whose value is not stored: open the file in a spreadsheet program and save it`
      return { ...each, question: null, problems: [problem, ...each.problems] }
    })
  const others = book.SheetNames.length - 1
  const left = lists[at]!.slice(1).filter(
    (cells, index) => hidden.has(index + 1) && cells.some((cell) => cell.trim() !== ''),
  )
  return {
    rows,
    notices: [
      ...(others === 0 ? [] : [`only the sheet "${table.name}" was read, of ${book.SheetNames.length}`]),
      ...(left.length === 0 ? [] : [`${left.length} hidden ${left.length === 1 ? 'row was' : 'rows were'} left out`]),
    ],
  }
}

/** Gives each cell the text that a spreadsheet program shows; the library leaves out those whose format it does not know. */
function showCells(sheet: WorkSheet, { format }: { format: FormatNumber }, date1904?: boolean): void {
  for (const [address, cell] of Object.entries(sheet) as [string, SpreadsheetCell][])
    if (!address.startsWith('!') && cell.t === 'n') cell.w = cellText(cell, format, date1904).text
}

/** Addresses of cells with a formula and no value, by the row from 0. */
function formulasWithoutValue(sheet: WorkSheet): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const [address, cell] of Object.entries(sheet) as [string, { f?: string; t?: string; v?: unknown }][]) {
    if (address.startsWith('!') || cell.f === undefined || (cell.t !== 'z' && cell.v !== undefined)) continue
    const row = Number(/\d+$/.exec(address)![0]) - 1
    found.set(row, [...(found.get(row) ?? []), address])
  }
  return found
}

function rowsOf([head = [], ...rows]: readonly string[][]): QuestionRow[] {
  const columns = head.map(columnName)
  const unknown = columns.filter((name) => name !== '' && COLUMNS[name] === undefined && !GOLD_COLUMN.test(name))
  if (unknown.length > 0)
    throw new QuestionFileError(
      `the first row has ${unknown.map((name) => JSON.stringify(name)).join(', ')}, which is not a column of questions: it names ${HEADS}`,
    )
  if (!asksQuestions(head)) throw new QuestionFileError('the first row names no column "question"')
  return rows.flatMap((cells, index) => {
    const row = index + 2
    if (cells.every((cell) => cell.trim() === '')) return []
    const values = new Map(columns.map((name, at) => [name, (cells[at] ?? '').trim()]))
    const { fields, problems } = fieldsOf(values)
    const result = checked(row, fields)
    return [problems.length === 0 ? result : { row, question: null, problems: [...problems, ...result.problems] }]
  })
}

const YES = new Set(['yes', 'true', '1', 'y'])
const NO = new Set(['no', 'false', '0', 'n'])

const listed = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

function fieldsOf(values: ReadonlyMap<string, string>): { fields: Record<string, unknown>; problems: string[] } {
  const fields: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, text] of values) {
    const field = COLUMNS[name]
    if (field === undefined || text === '') continue
    if (field === 'answerable') {
      const word = text.toLowerCase()
      if (YES.has(word) || NO.has(word)) fields[field] = YES.has(word)
      else problems.push(`answerable: expected yes or no, got ${JSON.stringify(text)}`)
    } else if (field === 'hops') {
      if (Number.isNaN(Number(text))) problems.push(`hops: expected a number, got ${JSON.stringify(text)}`)
      else fields[field] = Number(text)
    } else if (field === 'tags') fields[field] = listed(text, ';')
    else if (field === 'keys') fields['answer_keys'] = listed(text, ';').map((point) => listed(point, '|'))
    else fields[field] = text
  }
  const gold = goldOf(values, problems)
  return { fields: gold.length === 0 ? fields : { ...fields, gold }, problems }
}

/** A path as Windows, and macOS with its decomposed characters, write it: documents are stored with forward slashes and composed names. */
export const documentPath = (written: string): string => written.replaceAll('\\', '/').normalize('NFC')

function goldOf(values: ReadonlyMap<string, string>, problems: string[]): GoldEvidence[] {
  const numbers = new Set(
    [...values.keys()].flatMap((name) => GOLD_COLUMN.exec(name)?.[2] ?? (GOLD_COLUMN.test(name) ? '' : [])),
  )
  return [...numbers].sort().flatMap((number) => {
    const of = (kind: string): string => values.get(`${kind}${number}`) ?? values.get(`${kind}_${number}`) ?? ''
    const [document, fact] = [documentPath(of('document')), of('fact')]
    if (document === '' && fact === '') return []
    if (document === '') {
      problems.push(
        `fact ${number}: names no document: give it in the column ${`document ${number}`.trim()}`.replace('  ', ' '),
      )
      return []
    }
    return [fact === '' ? { document } : { document, fact }]
  })
}
