import { wrap } from '../lib/terminal-text.ts'

/** Rows of a name and what it is, the second column broken so that no line is wider than `columns`. */
export function helpTable(rows: readonly (readonly [string, string])[], nameWidth: number, columns: number): string[] {
  const indent = ' '.repeat(nameWidth + 3)
  // A column of a few letters would be harder to read than lines that run over.
  const room = Math.max(30, columns - indent.length)
  return rows.map(([name, text]) => `  ${name.padEnd(nameWidth)} ${wrap(text, room).join(`\n${indent}`)}`)
}
