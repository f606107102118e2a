import { joinLines, tidy, type Block, type Table } from '../model/document.ts'

/** The number of a section, and of a page at the end of a line of contents. */
const SECTION = /^(?:chapter |appendix |part )?(?:\d+|[A-Z]|[IVXLC]+)(?:\.\d+)*\.?$/i
const PAGE = /^(?:\d{1,4}|[ivxlc]+)$/i
const LEADERS = /(?:\.\s?){3,}/
const LEAST_CONTENTS = 4
/** Dotted lines that lead to page numbers are in no other table. */
const LEAST_DOTTED_CONTENTS = 2
const CODE = /^\s*[#$%>]|[{};=\\]|(?:^|\s)--?\w|\w\(|<\/?\w/
const BULLET = /^[•‣◦▪–—*-]\s+/u
const LEAST_LINE_LETTERS = 40
const ENDS_SENTENCE = /[.!?]["”»)\]]?$/u
const ENDS = /[.!?:;…]["”»)\]]?$/u

/**
 * Turns what the rules took for a table into what it is: running text whose lines have words below each other, lines of a table of contents, a framed text or
 * listing; else itself. `runs` are the runs of text on the page: words of one run are as close as words are, cells of a table never.
 */
export function plainTable(table: Table, runs: readonly string[]): Block[] {
  const rows = Array.from({ length: table.rows }, (_, row) =>
    table.cells
      .filter((cell) => cell.row === row)
      .sort((a, b) => a.column - b.column)
      .map(({ text }) => text),
  )
  const filled = rows.map((row) => row.filter((text) => text !== '')).filter((row) => row.length > 0)
  if (table.columns === 1) return framed(rows, table)
  if (isContents(filled))
    return filled.map((row) => ({
      kind: 'list_item',
      level: 0,
      ordered: false,
      text: tidy(row.join(' ').replaceAll(new RegExp(LEADERS, 'g'), ' ')),
      place: table.place,
    }))
  const unnumbered = withoutLineNumbers(filled)
  if (unnumbered !== null) return prose(unnumbered, table)
  return isProse(filled, runs) || isHyphenated(rows) ? prose(rows, table) : [table]
}

function framed(rows: readonly string[][], { place }: Table): Block[] {
  const lines = rows.map((row) => row.join(' '))
  const filled = lines.filter((line) => line !== '')
  if (filled.length === 0) return []
  return filled.filter((line) => CODE.test(line)).length > filled.length * 0.4
    ? [{ kind: 'code', language: null, text: lines.join('\n').trim(), place }]
    : [{ kind: 'paragraph', text: filled.join(' '), place }]
}

/** Numbered lines that end in page numbers, which never fall. */
function isContents(filled: readonly string[][]): boolean {
  // The last dots of a line may have come into the cell of its page.
  const pageOf = (row: readonly string[]): string => row.at(-1)!.replace(/^[.\s]+/, '')
  const lines = filled.filter(
    (row) => row.length > 1 && PAGE.test(pageOf(row)) && /\p{L}/u.test(row.slice(0, -1).join('')),
  )
  const dotted = lines.filter((row) => LEADERS.test(row.join(' '))).length
  const numbered = lines.filter((row) => SECTION.test(row[0]!) || LEADERS.test(row.join(' ')))
  const pages = lines.map((row) => Number(pageOf(row))).filter((page) => !Number.isNaN(page))
  return (
    (lines.length >= LEAST_CONTENTS || dotted >= LEAST_DOTTED_CONTENTS) &&
    lines.length > filled.length * 0.7 &&
    numbered.length > lines.length * 0.6 &&
    pages.every((page, index) => index === 0 || page >= pages[index - 1]!)
  )
}

/** Lines of a draft without the numbers that count them; null where the lines are none: numbers are missing, or each line ends a sentence. */
function withoutLineNumbers(filled: readonly string[][]): string[][] | null {
  const lines = filled.map((row) => tidy(row.join(' ')))
  const numbers = lines.map((line) => Number(/^\d{1,4}(?=\s)/.exec(line)?.[0] ?? Number.NaN))
  const steps = numbers.slice(1).filter((number, index) => number === numbers[index]! + 1).length
  const texts = lines.map((line) => line.replace(/^\d{1,4}\s/, ''))
  const isText = texts.reduce((sum, text) => sum + text.length, 0) > texts.length * LEAST_LINE_LETTERS
  const runOn = texts.filter((text) => !ENDS_SENTENCE.test(text)).length
  if (lines.length < LEAST_CONTENTS || steps < (lines.length - 1) * 0.7 || !isText || runOn < texts.length * 0.4)
    return null
  return texts.map((text) => [text])
}

const bare = (text: string): string => text.replaceAll(/\s/g, '')
/** Letters on both sides of a cut that are looked for in one run. */
const AROUND_CUT = 10

/** Returns true when most lines that the rules cut into cells are cut within a run of text. */
function isProse(filled: readonly string[][], runs: readonly string[]): boolean {
  const cut = filled.filter((row) => row.length > 1)
  if (cut.length < 2) return false
  const all = runs.map(bare)
  const within = cut.filter((row) =>
    row.slice(1).every((cell, index) => {
      const around = bare(row[index]!).slice(-AROUND_CUT) + bare(cell).slice(0, AROUND_CUT)
      return all.some((run) => run.includes(around))
    }),
  )
  return within.length >= cut.length * 0.5
}

/**
 * Returns true when a word is divided at the end of a whole line and goes on at the beginning of the next: justified text whose wide spaces lie below each
 * other. A cell's own lines go on below it, in the same column.
 */
function isHyphenated(rows: readonly string[][]): boolean {
  const letters = rows.reduce((sum, row) => sum + row.join(' ').length, 0)
  return (
    letters > rows.length * LEAST_LINE_LETTERS &&
    rows.some((row, index) => {
      const next = rows[index + 1]?.[0]
      return next !== undefined && row.length > 1 && /\p{L}-$/u.test(row.at(-1)!) && /^\p{Ll}/u.test(next)
    })
  )
}

/** Lines as headings, list items and paragraphs: an indented line after the end of a sentence begins a new one. */
function prose(rows: readonly string[][], { place }: Table): Block[] {
  const blocks: Block[] = []
  for (const row of rows) {
    const text = tidy(row.join(' '))
    if (text === '') continue
    const number = SECTION.exec(row[0] ?? '')?.[0]
    const former = blocks.at(-1)
    // A line may begin with the word "A" or "I".
    if (number !== undefined && /\d/.test(number) && row.length > 1 && !ENDS.test(text))
      blocks.push({ kind: 'heading', level: Math.min(6, number.split('.').filter(Boolean).length + 1), text, place })
    else if (BULLET.test(text))
      blocks.push({ kind: 'list_item', level: 0, ordered: false, text: text.replace(BULLET, ''), place })
    else if (
      former === undefined ||
      former.kind === 'heading' ||
      (row[0] === '' && 'text' in former && ENDS.test(former.text))
    )
      blocks.push({ kind: 'paragraph', text, place })
    else if ('text' in former) blocks[blocks.length - 1] = { ...former, text: joinLines(former.text, text) }
  }
  return blocks
}
