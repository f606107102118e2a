import type { ReactNode } from 'react'
import styles from './documents.module.css'
import { DOCUMENTS_WORDS } from './documents-words.ts'
import { TableHead } from '../../components/tables.tsx'

const WORDS = DOCUMENTS_WORDS.markdownView

const unescape = (text: string): string => text.replaceAll(/\\([\\*`<&#>|+$.)=-])/g, '$1')

interface Part {
  kind: 'heading' | 'table' | 'items' | 'code' | 'text'
  lines: string[]
}

/** Lines of the converter's Markdown by what they are; it writes only this much of the language. */
function partsOf(markdown: string): Part[] {
  const parts: Part[] = []
  let fence: string | null = null
  for (const line of markdown.split('\n')) {
    const last = parts.at(-1)
    if (fence !== null) {
      if (line === fence) fence = null
      else last!.lines.push(line)
      continue
    }
    const opens = /^`{3,}/.exec(line)
    if (opens !== null) {
      fence = opens[0]
      parts.push({ kind: 'code', lines: [] })
    } else if (/^#{1,6} /.test(line)) parts.push({ kind: 'heading', lines: [line] })
    else if (line.startsWith('| ') || /^\|( --- \|)+$/.test(line)) push('table', line)
    else if (/^ *(-|\d+\.) /.test(line)) push('items', line)
    else if (line !== '') parts.push({ kind: 'text', lines: [line] })
  }
  return parts

  function push(kind: 'table' | 'items', line: string): void {
    const last = parts.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else parts.push({ kind, lines: [line] })
  }
}

/** The converter's Markdown as a page: text stays text, whatever it holds. */
export function MarkdownView({ markdown }: { markdown: string }) {
  return (
    <div className={styles.reading}>
      {partsOf(markdown).map((part, index) => (
        <PartView key={index} part={part} />
      ))}
    </div>
  )
}

function PartView({ part: { kind, lines } }: { part: Part }): ReactNode {
  switch (kind) {
    case 'heading': {
      const level = /^#+/.exec(lines[0]!)![0].length
      return (
        <p role="heading" aria-level={Math.min(6, level + 2)} className={styles.heading} data-level={level}>
          {unescape(lines[0]!.slice(level + 1))}
        </p>
      )
    }
    case 'code':
      return <pre className={styles.code}>{lines.join('\n')}</pre>
    case 'items':
      return (
        <ul className={styles.items}>
          {lines.map((line, index) => (
            <li key={index} style={{ marginLeft: (/^ */.exec(line)![0].length / 4) * 20 }}>
              {unescape(line.trimStart().replace(/^(-|\d+\.) /, ''))}
            </li>
          ))}
        </ul>
      )
    case 'table':
      return (
        <TableView
          rows={lines
            .filter((line) => !/^\|( --- \|)+$/.test(line))
            .map((line) =>
              line
                .slice(2, -2)
                .split(/(?<!\\) \| /)
                .map(unescape),
            )}
        />
      )
    case 'text':
      return <p>{lines[0] === '<!-- image -->' ? <span className="dim">{WORDS.picture}</span> : unescape(lines[0]!)}</p>
  }
}

function TableView({ rows: [head = [], ...rows] }: { rows: string[][] }) {
  return (
    <div className={styles.tableFrame} tabIndex={0} role="region" aria-label={WORDS.table}>
      <table>
        {head.some((cell) => cell.trim() !== '') && <TableHead columns={head} />}
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
