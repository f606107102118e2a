import type { ReactNode } from 'react'
import { mergeSpans, type Span } from '../features/cell/text-match.ts'
import styles from './marked-text.module.css'

interface MarkedTextProps {
  text: string
  spans?: readonly Span[]
  /** gold: facts that an answer needs. only: words that another text does not have. */
  tone?: 'gold' | 'only'
}

/** Hostile text as text: line breaks kept, spans marked, nothing interpreted. */
export function MarkedText({ text, spans = [], tone = 'gold' }: MarkedTextProps) {
  const parts: ReactNode[] = []
  let at = 0
  for (const { start, end } of mergeSpans(spans)) {
    parts.push(text.slice(at, start))
    parts.push(
      <mark key={start} className={styles[tone]}>
        {text.slice(start, end)}
      </mark>,
    )
    at = end
  }
  parts.push(text.slice(at))
  return <bdi className={styles.text}>{parts}</bdi>
}
