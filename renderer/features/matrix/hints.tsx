import { Button } from '@mantine/core'
import { useState } from 'react'
import styles from './matrix.module.css'

const HINTS = [
  'Each column is an approach, each row a question. Bright is good; hatched cells have no value, and that is not a low score.',
  'The head of a column says how far its mean is from the baseline’s, and whether this run can tell them apart.',
  'Click a cell, or move with the arrow keys and press Enter, to read its answer and evidence. Press d to compare it with the baseline.',
]

/** Three sentences for the first time; each can be put away. */
export function Hints({ onDone }: { onDone: () => void }) {
  const [read, setRead] = useState<readonly number[]>([])
  const close = (hint: number): void => {
    const next = [...read, hint]
    setRead(next)
    if (next.length === HINTS.length) onDone()
  }
  return (
    <ol className={styles.hints} aria-label="Hints">
      {HINTS.map((text, hint) =>
        read.includes(hint) ? null : (
          <li key={hint}>
            <span>{text}</span>
            <Button variant="default" size="compact-xs" onClick={() => close(hint)}>
              Got it
            </Button>
          </li>
        ),
      )}
    </ol>
  )
}
