import { styleText } from 'node:util'
import { sanitizeForTerminal } from '../../lib/sanitize-for-terminal.ts'
import { displayWidth } from '../../lib/terminal-text.ts'
import type { EventLine, Tone } from './event-line.ts'

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
 * Rows of at most `columns`, broken at single blanks; what is longer than a row, such as a path, stays whole, because it is there to be copied.
 * `taken` columns of the first row are not free.
 */
function rowsOf(text: string, columns: number, taken: number): string[] {
  const rows: string[] = []
  let row: string | null = null
  let room = columns - taken
  for (const word of text.split(/(?<! ) (?! )/)) {
    const longer: string = row === null ? word : `${row} ${word}`
    if (row === null || displayWidth(longer) <= room) row = longer
    else {
      rows.push(row)
      row = word
      room = columns
    }
  }
  return [...rows, row ?? '']
}

/** A line as it is written, without its last newline. Nothing in it can steer the terminal: its texts may come from services and files. */
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
