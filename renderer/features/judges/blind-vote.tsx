import { Button, Kbd, Progress, Textarea } from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { BlindSets } from '../../../contract/control/judging.ts'
import { count, plural } from '../../components/format.ts'
import { isTextField, isUnderDialog } from '../../components/key-target.ts'
import { directionOf } from '../../components/light-markup.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { afterGrade, moved, withBest, withGrade, withoutGrade } from './ballot.ts'
import { JUDGES_WORDS } from './judges-words.ts'
import styles from './judges.module.css'
import { useBallot, type Round } from './use-ballot.ts'

const WORDS = JUDGES_WORDS.vote

interface BlindVoteProps {
  round: Round
  page: BlindSets
  index: number
  onGo: (index: number) => void
}

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
      setComplaint(WORDS.ungraded(open))
      setCurrent(open[0]!)
      return
    }
    if (to !== index && to >= 0 && to <= last) onGo(to)
    else if (to > last) onGo(page.next_unvoted ?? last)
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target) || isUnderDialog()) return
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
    ? WORDS.saving
    : isKept
      ? WORDS.saved
      : WORDS.graded(letters.length - open.length, letters.length)
  return (
    <>
      <div className="row">
        <span>{WORDS.position(count(index + 1), count(page.total))}</span>
        <Progress
          className={styles.bar}
          value={(page.voted / page.total) * 100}
          aria-label={WORDS.progress}
          transitionDuration={0}
        />
        <span>{WORDS.voted(count(page.voted), count(page.total))}</span>
        {page.blocked > 0 && (
          <span className="dim" title={WORDS.whyLeftOut}>
            {WORDS.leftOut(plural(page.blocked, 'question'))}
          </span>
        )}
      </div>
      <section className={styles.question} aria-label={WORDS.question}>
        <h2>
          <MarkedText text={set.question} />
        </h2>
        {set.reference !== null && (
          <p>
            <span className="dim">{WORDS.groundTruth}</span>
            <MarkedText text={set.reference} />
          </p>
        )}
        {set.passages !== undefined && (
          <details className={styles.passages}>
            <summary>{WORDS.passages}</summary>
            <ul>
              {set.passages.map((passage) => (
                <li key={passage} dir={directionOf(passage)}>
                  <MarkedText text={passage} />
                </li>
              ))}
            </ul>
          </details>
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
          label={WORDS.note}
          placeholder={WORDS.notePlaceholder}
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
          <span role="status" className={complaint === '' ? 'dim' : 'bad'}>
            {complaint === '' ? state : `▲ ${complaint}`}
          </span>
          <Button disabled={index === 0} onClick={() => go(index - 1)}>
            {WORDS.previous}
          </Button>
          <Button
            variant="filled"
            disabled={index === last && page.next_unvoted === null}
            onClick={() => go(index + 1)}
          >
            {WORDS.next}
          </Button>
        </div>
      </div>
      <p className="row">
        <span>
          <Kbd size="xs">1</Kbd>–<Kbd size="xs">5</Kbd> {WORDS.keys.grade}
        </span>
        <span>
          <Kbd size="xs">b</Kbd> {WORDS.keys.best}
        </span>
        <span>
          <Kbd size="xs">←</Kbd> <Kbd size="xs">→</Kbd> {WORDS.keys.other}
        </span>
        <span>
          <Kbd size="xs">n</Kbd> {WORDS.keys.next} <Kbd size="xs">p</Kbd> {WORDS.keys.previous}
        </span>
        <span className="dim" title={page.commitment}>
          {WORDS.sealed(page.commitment.slice(0, 12))}
        </span>
      </p>
    </>
  )
}

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

/** One answer under its letter; all cards are alike, whatever they hold. */
function AnswerCard({ letter, text, grade, isBest, isCurrent, onCurrent, onGrade, onBest }: AnswerCardProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isCurrent || box.current === null || box.current.contains(document.activeElement)) return
    // A user who writes a note keeps the cursor there.
    if (document.activeElement instanceof HTMLTextAreaElement) return
    box.current.querySelector<HTMLElement>('[data-text]')?.focus()
  }, [isCurrent])
  return (
    <div
      ref={box}
      role="group"
      aria-label={WORDS.answer(letter)}
      className={styles.card}
      data-current={isCurrent}
      data-best={isBest}
      onFocus={onCurrent}
      onClick={onCurrent}
    >
      <header className={styles.cardHead}>
        <span className={styles.letter}>{letter}</span>
        {isBest && <span className={styles.best}>{WORDS.isBest}</span>}
        <span className="dim">{grade === undefined ? WORDS.noGrade : WORDS.grade(grade)}</span>
      </header>
      <div
        className={styles.cardText}
        dir={directionOf(text)}
        tabIndex={0}
        data-text
        role="region"
        aria-label={WORDS.text(letter)}
      >
        {text === '' ? <span className="dim">{WORDS.noText}</span> : <MarkedText text={text} isMarkdown />}
      </div>
      <footer className={styles.cardFoot}>
        <div className="row tight">
          {GRADES.map((each) => (
            <button
              key={each}
              type="button"
              className={styles.grade}
              aria-pressed={grade === each}
              aria-label={WORDS.gradeFor(each, letter)}
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
          aria-label={WORDS.bestFor(letter)}
          onClick={onBest}
        >
          ★
        </button>
      </footer>
    </div>
  )
}
