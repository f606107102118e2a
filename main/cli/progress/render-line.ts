import { styleText } from 'node:util'
import { plainNumber } from '../../../core/plain-number.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { displayWidth } from '../../lib/text/terminal-text.ts'
import type { EventLine, Tone } from './event-line.ts'

/** Width for a pipe or a file. */
const WITHOUT_TERMINAL = 80

/**
 * Columns of an output: `COLUMNS` where it is set to a number, as is usual; else the terminal's width; else 80.
 */
export function outputColumns(
  out: { isTTY?: boolean; columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const wanted = plainNumber(env['COLUMNS'] ?? '', 'whole')
  if (wanted !== null && wanted > 0) return wanted
  return out.isTTY === true && out.columns !== undefined && out.columns > 0 ? out.columns : WITHOUT_TERMINAL
}

export interface Look {
  color: boolean
  /** Width of the output in columns. */
  columns: number
}

const FORMATS: Record<Exclude<Tone, 'plain'>, Parameters<typeof styleText>[0]> = {
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  quiet: 'dim',
  strong: 'bold',
}

function styled(tone: Tone, text: string, { color }: Look): string {
  return color && tone !== 'plain' ? styleText(FORMATS[tone], text, { validateStream: false }) : text
}

/**
 * Rows of at most `columns`, broken at single blanks; what is longer than a row, such as a path, is not broken, so that it can be copied.
 * `taken` columns of the first row are used already.
 */
function rowsOf(text: string, columns: number, taken: number): string[] {
  const rows: string[] = []
  let row: string | null = null
  let free = columns - taken
  for (const word of text.split(/(?<! ) (?! )/)) {
    const longer: string = row === null ? word : `${row} ${word}`
    if (row === null || displayWidth(longer) <= free) row = longer
    else {
      rows.push(row)
      row = word
      free = columns
    }
  }
  return [...rows, row ?? '']
}

/** A styled and wrapped line without its last newline. Control characters are removed: texts may come from services and files. */
export function renderLine({ sign, tone, text, note, indent }: EventLine, look: Look): string {
  const margin = ' '.repeat(indent)
  const hanging = ' '.repeat(indent + 2)
  const clean = sanitizeForTerminal(text)
  const head = sign === null ? margin : `${margin}${sign} `
  const [first = '', ...others] = rowsOf(clean, look.columns - hanging.length, head.length - hanging.length)
  const textTone = sign === null ? tone : 'plain'
  const shownHead = sign === null ? margin : `${margin}${styled(tone, sign, look)} `
  const rows = [
    `${shownHead}${styled(textTone, first, look)}`,
    ...others.map((row) => `${hanging}${styled(textTone, row, look)}`),
  ]
  if (note === null) return rows.join('\n')
  const cleanNote = sanitizeForTerminal(note)
  const used = others.length === 0 ? head.length + displayWidth(first) : hanging.length + displayWidth(others.at(-1)!)
  if (used + 2 + displayWidth(cleanNote) <= look.columns) {
    return `${rows.join('\n')}  ${styled('quiet', cleanNote, look)}`
  }
  const deeper = ' '.repeat(indent + 4)
  const below = rowsOf(cleanNote, look.columns - deeper.length, 0)
  return [...rows, ...below.map((row) => `${deeper}${styled('quiet', row, look)}`)].join('\n')
}

/** An error message, its lines wrapped to the terminal's width; an indented line stays indented. */
export function errorText(message: string, look: Look): string {
  const [first = '', ...others] = message.split('\n')
  return [
    renderLine({ sign: 'error:', tone: 'bad', text: first, note: null, indent: 0 }, look),
    ...others.map((line) => {
      const text = line.trimStart()
      return renderLine({ sign: null, tone: 'plain', text, note: null, indent: line.length - text.length }, look)
    }),
  ].join('\n')
}
