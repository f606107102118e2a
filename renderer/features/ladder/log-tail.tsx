import { useEffect, useRef } from 'react'
import { Panel } from '../../components/states.tsx'
import type { LogLine } from '../../data/ladder-state.ts'
import styles from './ladder.module.css'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.logTail

const NEAR_END_PX = 40

/** The last lines; stays at the end unless the user scrolled up. */
export function LogTail({ lines }: { lines: LogLine[] }) {
  const list = useRef<HTMLOListElement>(null)
  const follow = useRef(true)
  useEffect(() => {
    const element = list.current
    if (element !== null && follow.current) element.scrollTop = element.scrollHeight
  }, [lines])
  return (
    <Panel title={WORDS.log}>
      <ol
        ref={list}
        className={styles.log}
        tabIndex={0}
        aria-label={WORDS.log}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follow.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
        }}
      >
        {lines.map(({ seq, at, level, text }) => (
          <li key={seq} data-level={level}>
            <span className="dim">{new Date(at).toLocaleTimeString()}</span> {text}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
