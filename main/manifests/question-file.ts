import { describeIssues, Question, type GoldEvidence } from '../../contract/index.ts'

// Questions from files of others: a table (CSV, TSV, Excel) with a question in each row, or JSON (a list, or an object a line) with the fields of
// dataset.yaml. Nothing is guessed: a row that cannot be used is returned with its reason, beside those that can.
//
// Columns, in any order and case: `question` (or query), `answer` (or ground_truth), `id`, `answerable` (yes or no), `hops`, `tags` (separated by
// ";"), `keys` (points separated by ";", spellings of one by "|"), and the gold evidence as `document` and `fact`; further facts in `document 2` and
// `fact 2`, and so on. A document without a fact is gold evidence as a whole.

export const QUESTION_FORMATS = ['csv', 'tsv', 'xlsx', 'jsonl', 'json'] as const
export type QuestionFormat = (typeof QUESTION_FORMATS)[number]

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

/** What a text looks like: JSON by its first character, TSV by a tab in its head, else CSV. */
export function guessFormat(content: string): Exclude<QuestionFormat, 'xlsx'> {
  const text = content.trimStart()
  if (text.startsWith('[')) return 'json'
  if (text.startsWith('{')) return 'jsonl'
  return text.slice(0, /$/m.exec(text)!.index).includes('\t') ? 'tsv' : 'csv'
}

/** Reads all rows. Throws `QuestionFileError` for a file that is no table or no JSON, or has no row. */
export async function readQuestionFile(content: string | Buffer, format: QuestionFormat): Promise<QuestionRow[]> {
  const rows =
    format === 'json' || format === 'jsonl' ? jsonRows(String(content), format) : await tableRows(content, format)
  if (rows.length === 0) throw new QuestionFileError('the file has no question: a head alone, or nothing')
  return rows
}

function jsonRows(text: string, format: 'json' | 'jsonl'): QuestionRow[] {
  const own = withoutMark(text)
  if (format === 'jsonl')
    return own
      .split('\n')
      .flatMap((line, index) => (line.trim() === '' ? [] : [jsonRow(index + 1, parsed(line, `line ${index + 1}`))]))
  const value = parsed(own, 'the file')
  if (value instanceof QuestionFileError) throw value
  const list = Array.isArray(value) ? value : (value as { questions?: unknown }).questions
  if (!Array.isArray(list)) throw new QuestionFileError('expected a list of questions, or an object with "questions"')
  return list.map((item, index) => jsonRow(index + 1, item))
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return new QuestionFileError(`${place} is not JSON: ${(error as Error).message}`)
  }
}

/** The names that tables use are taken too. */
function jsonRow(row: number, value: unknown): QuestionRow {
  if (value instanceof QuestionFileError) return { row, question: null, problems: [value.message] }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { row, question: null, problems: ['expected an object with "query"'] }
  const { question, answer, ...fields } = value as Record<string, unknown>
  return checked(row, {
    ...(question === undefined ? {} : { query: question }),
    ...(answer === undefined ? {} : { ground_truth: answer }),
    ...fields,
  })
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

/** What separates the cells of a table: a tab, or what its first line has most of. */
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

async function tableRows(content: string | Buffer, format: 'csv' | 'tsv' | 'xlsx'): Promise<QuestionRow[]> {
  const { read, utils } = await import('@e965/xlsx')
  const readText = (text: string) => {
    const separator = separatorOf(text, format)
    requireClosedQuotes(text, separator)
    return read(text, { type: 'string', raw: true, FS: separator })
  }
  const book = typeof content === 'string' ? readText(withoutMark(content)) : read(content, { type: 'buffer' })
  const sheet = book.Sheets[book.SheetNames[0] ?? '']
  const [head = [], ...rows] =
    sheet === undefined
      ? []
      : utils.sheet_to_json<string[]>(sheet, { header: 1, raw: false, defval: '', blankrows: true })
  const columns = head.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  )
  const unknown = columns.filter((name) => name !== '' && COLUMNS[name] === undefined && !GOLD_COLUMN.test(name))
  if (unknown.length > 0)
    throw new QuestionFileError(
      `the first row has ${unknown.map((name) => JSON.stringify(name)).join(', ')}, which is not a column of questions: it names question, answer, id, answerable, hops, tags, keys, document and fact`,
    )
  if (!columns.some((name) => COLUMNS[name] === 'query'))
    throw new QuestionFileError('the first row names no column "question"')
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

function goldOf(values: ReadonlyMap<string, string>, problems: string[]): GoldEvidence[] {
  const numbers = new Set(
    [...values.keys()].flatMap((name) => GOLD_COLUMN.exec(name)?.[2] ?? (GOLD_COLUMN.test(name) ? '' : [])),
  )
  return [...numbers].sort().flatMap((number) => {
    const of = (kind: string): string => values.get(`${kind}${number}`) ?? values.get(`${kind}_${number}`) ?? ''
    const [document, fact] = [of('document'), of('fact')]
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
