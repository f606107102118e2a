import { Fragment, type ReactNode } from 'react'
import { mergeSpans, type Span } from './text-match.ts'
import { type Markup, markupOf } from './light-markup.ts'
import styles from './marked-text.module.css'

interface MarkedTextProps {
  text: string
  spans?: readonly Span[]
  /** gold: facts that an answer needs. only: words that another text does not have. */
  tone?: 'gold' | 'only'
  /** Shows the headings and bold words of Markdown without their signs. */
  isMarkdown?: boolean
}

const NO_MARKUP: Markup = { hidden: [], strong: [] }
const holds = (spans: readonly Span[], at: number): boolean => spans.some(({ start, end }) => start <= at && at < end)

/** A part of a text without the signs of its markup; strong where they make it so. */
export function PlainPart({ text, start, end, markup }: Span & { text: string; markup: Markup }): ReactNode {
  const inside = [...markup.hidden, ...markup.strong].filter((span) => span.start < end && span.end > start)
  if (inside.length === 0) return text.slice(start, end)
  const cuts = [start, end, ...inside.flatMap((span) => [span.start, span.end])]
    .filter((cut) => cut >= start && cut <= end)
    .toSorted((a, b) => a - b)
  return cuts.slice(0, -1).map((from, index) => {
    const piece = text.slice(from, cuts[index + 1])
    if (piece === '' || holds(markup.hidden, from)) return null
    return holds(markup.strong, from) ? <b key={from}>{piece}</b> : <Fragment key={from}>{piece}</Fragment>
  })
}

/** Hostile text as text: line breaks kept, spans marked, nothing interpreted but the little that `isMarkdown` names. */
export function MarkedText({ text, spans = [], tone = 'gold', isMarkdown = false }: MarkedTextProps) {
  const markup = isMarkdown ? markupOf(text) : NO_MARKUP
  const parts: ReactNode[] = []
  let at = 0
  for (const { start, end } of mergeSpans(spans)) {
    parts.push(<PlainPart key={`before ${start}`} {...{ text, markup }} start={at} end={start} />)
    parts.push(
      <mark key={start} className={styles[tone]}>
        <PlainPart {...{ text, start, end, markup }} />
      </mark>,
    )
    at = end
  }
  parts.push(<PlainPart key="rest" {...{ text, markup }} start={at} end={text.length} />)
  return <bdi className={styles.text}>{parts}</bdi>
}
