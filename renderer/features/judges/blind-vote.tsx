import { Button, Kbd, Progress, Textarea } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import type { BlindSets } from '../../../contract/control/judging.ts'
import { count, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { AnswerCard } from './answer-card.tsx'
import { afterGrade, moved, withBest, withGrade, withoutGrade } from './ballot.ts'
import styles from './judges.module.css'
import { useBallot, type Round } from './use-ballot.ts'

interface BlindVoteProps {
  round: Round
  page: BlindSets
  index: number
  onGo: (index: number) => void
}

const writes = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)
const isUnderDialog = (): boolean => document.querySelector('[role=dialog]') !== null

/** One question with its answers under letters: grades, the best, a note; all by keys. */
export function BlindVote({ round, page, index, onGo }: BlindVoteProps) {
  const { draft, letters, isKept, isSaving, change, flush } = useBallot(round, page)
  const [current, setCurrent] = useState(letters[0]!)
  const [complaint, setComplaint] = useState('')
  const set = page.sets[0]!
  const last = page.total - 1
  const open = withoutGrade(letters, draft)
  const grade = (letter: string, value: number): void => {
    const next = withGrade(draft, letter, value)
    setComplaint('')
    change(next)
    setCurrent(afterGrade(letters, next, letter))
  }
  const go = (to: number): void => {
    const isUntouched = open.length === letters.length && draft.best === null
    if (!flush() && !isUntouched) {
      setComplaint(`${open.join(', ')} ${open.length === 1 ? 'has' : 'have'} no grade yet`)
      setCurrent(open[0]!)
      return
    }
    if (to !== index && to >= 0 && to <= last) onGo(to)
    else if (to > last) onGo(page.next_unvoted ?? last)
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target) || isUnderDialog()) return
    const { key } = event
    if (/^[1-5]$/.test(key)) grade(current, Number(key))
    else if (key === 'b') change(withBest(draft, current))
    else if (key === 'n') go(index + 1)
    else if (key === 'p') go(index - 1)
    else if (key === 'ArrowRight') setCurrent(moved(letters, current, 1))
    else if (key === 'ArrowLeft') setCurrent(moved(letters, current, -1))
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
  const state = isSaving
    ? 'keeping the vote'
    : isKept
      ? '● vote kept'
      : `${letters.length - open.length}/${letters.length} graded`
  return (
    <>
      <div className={styles.progress}>
        <span>
          Question {count(index + 1)} of {count(page.total)}
        </span>
        <Progress
          className={styles.bar}
          value={(page.voted / page.total) * 100}
          aria-label="Questions with a vote"
          transitionDuration={0}
        />
        <span>
          {count(page.voted)}/{count(page.total)} with a vote
        </span>
        {page.blocked > 0 && (
          <span className="dim" title="Their texts would tell whose answer it is">
            {plural(page.blocked, 'question')} left out
          </span>
        )}
      </div>
      <section className={styles.question} aria-label="Question">
        <h2>
          <MarkedText text={set.question} />
        </h2>
        {set.reference !== null && (
          <p>
            <span className="dim">Ground truth </span>
            <MarkedText text={set.reference} />
          </p>
        )}
      </section>
      <div className={styles.cards}>
        {set.answers.map(({ letter, text }) => (
          <AnswerCard
            key={letter}
            letter={letter}
            text={text}
            grade={draft.scores[letter]}
            isBest={draft.best === letter}
            isCurrent={current === letter}
            onCurrent={() => setCurrent(letter)}
            onGrade={(value) => grade(letter, value)}
            onBest={() => change(withBest(draft, letter))}
          />
        ))}
      </div>
      <div className={styles.foot}>
        <Textarea
          className={styles.note}
          label="Note"
          placeholder="Kept with the vote"
          autosize
          minRows={1}
          maxRows={4}
          maxLength={4000}
          value={draft.note}
          onChange={({ currentTarget }) => change({ ...draft, note: currentTarget.value }, true)}
          onBlur={() => void flush()}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <div className={styles.steps}>
          <span role="status" className={complaint === '' ? 'dim' : styles.complaint}>
            {complaint === '' ? state : `▲ ${complaint}`}
          </span>
          <Button variant="default" disabled={index === 0} onClick={() => go(index - 1)}>
            Previous
          </Button>
          <Button disabled={index === last && page.next_unvoted === null} onClick={() => go(index + 1)}>
            Next question
          </Button>
        </div>
      </div>
      <p className={styles.keys}>
        <span>
          <Kbd size="xs">1</Kbd>–<Kbd size="xs">5</Kbd> grade, 5 is best
        </span>
        <span>
          <Kbd size="xs">b</Kbd> best answer
        </span>
        <span>
          <Kbd size="xs">←</Kbd> <Kbd size="xs">→</Kbd> other answer
        </span>
        <span>
          <Kbd size="xs">n</Kbd> next <Kbd size="xs">p</Kbd> previous question
        </span>
        <span className="dim" title={page.commitment}>
          order sealed before the first vote: sha256 {page.commitment.slice(0, 12)}…
        </span>
      </p>
    </>
  )
}
