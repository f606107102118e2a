import { useEffect, useRef } from 'react'
import { MarkedText } from '../../components/marked-text.tsx'
import styles from './judges.module.css'

const GRADES = [1, 2, 3, 4, 5]

interface AnswerCardProps {
  letter: string
  text: string
  grade: number | undefined
  isBest: boolean
  /** The keys go to this card. */
  isCurrent: boolean
  onCurrent: () => void
  onGrade: (grade: number) => void
  onBest: () => void
}

/** One answer under its letter; all cards are alike, whatever stands in them. */
export function AnswerCard({ letter, text, grade, isBest, isCurrent, onCurrent, onGrade, onBest }: AnswerCardProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isCurrent || box.current === null || box.current.contains(document.activeElement)) return
    // Whoever writes a note is not called away.
    if (document.activeElement instanceof HTMLTextAreaElement) return
    box.current.querySelector<HTMLElement>('[data-text]')?.focus()
  }, [isCurrent])
  return (
    <div
      ref={box}
      role="group"
      aria-label={`Answer ${letter}`}
      className={styles.card}
      data-current={isCurrent}
      data-best={isBest}
      onFocus={onCurrent}
      onClick={onCurrent}
    >
      <header className={styles.cardHead}>
        <span className={styles.letter}>{letter}</span>
        {isBest && <span className={styles.best}>★ best</span>}
        <span className="dim">{grade === undefined ? 'no grade' : `grade ${grade}`}</span>
      </header>
      <div className={styles.cardText} tabIndex={0} data-text role="region" aria-label={`Text of answer ${letter}`}>
        {text === '' ? <span className="dim">(no text)</span> : <MarkedText text={text} />}
      </div>
      <footer className={styles.cardFoot}>
        <div className={styles.grades}>
          {GRADES.map((each) => (
            <button
              key={each}
              type="button"
              className={styles.grade}
              aria-pressed={grade === each}
              aria-label={`Grade ${each} for answer ${letter}`}
              onClick={() => onGrade(each)}
            >
              {each}
            </button>
          ))}
        </div>
        <button
          type="button"
          className={styles.grade}
          aria-pressed={isBest}
          aria-label={`Answer ${letter} is the best`}
          onClick={onBest}
        >
          ★
        </button>
      </footer>
    </div>
  )
}
