/**
 * A block of a Markdown or plain text. `start` and `end` enclose its content without marker and line end, in UTF-16
 * units. `header` holds the column titles of a table row, `level` the depth of a heading.
 */
export type Block = {
  kind: 'heading' | 'paragraph' | 'list_item' | 'table_row'
  start: number
  end: number
  level: number
  header: readonly string[]
}

type Line = { text: string; start: number }

const HEADING = /^ {0,3}(#{1,6})\s+/
const LIST_MARKER = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/
/** Of a trimmed line. */
const TABLE_RULE = /^(?:\|\s*)?:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$/
const RULE = /^\s*(?:[-*_=]\s*){3,}$/
const QUOTE = /^\s{0,3}>\s?/
const BOLD_LINE = /^\s*\*\*[^*]+[^*.:!?]\*\*\s*$/

const linesOf = (text: string): Line[] =>
  [...text.matchAll(/[^\n]*(?:\n|$)/g)]
    .filter((match) => match[0] !== '')
    .map((match) => ({ text: match[0].replace(/\r?\n$/, ''), start: match.index }))

/** The cells of a table row, trimmed. */
export function tableCells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

const isTableRow = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line) || (line.match(/\s\|\s/g) ?? []).length >= 2

const isTableRule = (line: string): boolean => line.includes('|') && TABLE_RULE.test(line.trim())

/** Cuts a text into headings, paragraphs, list items and table rows; rules and empty lines are left out. */
export function blocksOf(text: string): Block[] {
  const lines = linesOf(text)
  const blocks: Block[] = []
  let open: Block | null = null
  let header: readonly string[] = []

  const close = (): void => {
    if (open !== null) blocks.push(open)
    open = null
  }
  const begin = (kind: Block['kind'], line: Line, markerLength: number, level = 0): Block => {
    close()
    const lead = /^\s*/.exec(line.text.slice(markerLength))![0].length
    const start = line.start + markerLength + lead
    return { kind, start, end: Math.max(start, line.start + line.text.trimEnd().length), level, header: [] }
  }

  lines.forEach((line, index) => {
    const heading = HEADING.exec(line.text)
    const marker = LIST_MARKER.exec(line.text)
    if (isTableRule(line.text)) return
    if (isTableRow(line.text)) {
      const next = lines[index + 1]?.text ?? ''
      if (isTableRule(next)) {
        close()
        header = tableCells(line.text)
        return
      }
      blocks.push({ ...begin('table_row', line, 0), header })
      return
    }
    header = []
    if (line.text.trim() === '') close()
    else if (/^\s*(?:=+|-{3,})\s*$/.test(line.text) && open?.kind === 'paragraph') {
      open = { ...open, kind: 'heading', level: line.text.includes('=') ? 1 : 2 }
      close()
    } else if (RULE.test(line.text)) close()
    else if (heading) {
      blocks.push(begin('heading', line, heading[0].length, heading[1]!.length))
    } else if (open === null && BOLD_LINE.test(line.text)) blocks.push(begin('heading', line, 0, 6))
    else if (marker) open = begin('list_item', line, marker[0].length)
    else if (open === null) open = begin('paragraph', line, QUOTE.exec(line.text)?.[0].length ?? 0)
    else open = { ...open, end: line.start + line.text.trimEnd().length }
  })
  close()
  return blocks.filter((block) => block.end > block.start)
}
