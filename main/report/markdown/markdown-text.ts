import { approachLabel } from '../../../contract/approaches.ts'
import { oneLine } from '../../lib/text/sanitize-for-terminal.ts'

/** Untrusted text as plain Markdown text on one line: nothing in it becomes markup, a link, HTML, mathematics or a table cell's end. */
export const md = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_[\]|~$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    // Addresses become links by themselves.
    .replaceAll('://', '&#58;//')
    .replace(/@(?=[\w-]+\.)/g, '&#64;')
    .replace(/www\./gi, 'www&#46;')
    .replace(/^[-+=#]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')

/** A name, hash or figure in code style; backticks in it cannot end it. */
export function code(text: string): string {
  const plain = oneLine(text).replaceAll('|', '\\|')
  const fence = '`'.repeat(longestRun(plain) + 1)
  const pad = plain.startsWith('`') || plain.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${plain}${pad}${fence}`
}

/** An approach in a table: its name in code style, and the mark of the keyword baseline. */
export const approachCode = (model: string): string => approachLabel(model).replace(model, code(model))

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))

/** A table; `right` names the columns that are aligned to the right. Cells are Markdown already. */
export function mdTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number>,
): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_name, index) => (right.has(index) ? '---:' : '---'))), ...rows.map(line)]
}

/** All columns from `first` on. */
export const columnsFrom = (first: number, count: number): Set<number> =>
  new Set(Array.from({ length: count }, (_, index) => index).filter((index) => index >= first))
