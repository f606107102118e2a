import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReadSentence, Speaker } from '../../../contract/http/speakers.ts'
import { RecorderView } from '../speech/record-button.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { useRecorder } from '../speech/use-recorder.ts'
import { outcomeWords } from './fit-words.ts'
import { afterReading, nextUnread } from './next-sentence.ts'
import { isOfTheRecording } from './reading-fault.ts'
import { addSentence } from './speaker-client.ts'
import styles from './speakers.module.css'
import { useSpeakerChanges } from './use-speakers.ts'
import { SPEAKERS_WORDS } from './speakers-words.ts'

const WORDS = SPEAKERS_WORDS.readingView

const MAX_SENTENCE_SECONDS = 30
/** Long enough for the key’s click not to be heard; a hundred sentences would make three seconds five minutes. */
const COUNTDOWN_SECONDS = 1

interface Props {
  speaker: Speaker
  sentences: readonly string[]
  /** Told while a sentence is recorded or heard, and once that is over. */
  onBusy: (isBusy: boolean) => void
  /** The last sentence was read: there is no button to keep the focus. */
  onAllRead: () => void
}

/** One sentence after the other to read aloud, by one key; back to any that was read, to read it better. */
export function ReadingView({ speaker, sentences, onBusy, onAllRead }: Props) {
  const { keep, refresh } = useSpeakerChanges()
  const [place, setPlace] = useState(() => nextUnread(sentences, speaker.read, 0))
  const [last, setLast] = useState<Kept | null>(null)
  const reading = useMutation({
    mutationFn: ({ at, recording }: { at: number; recording: Blob }) =>
      addSentence(speaker.id, sentences[at]!, recording),
    onSuccess: (answer, { at }) => {
      const next = afterReading(sentences, speaker.read, answer.speaker.read, at)
      keep(answer.speaker)
      setLast({ place: at, answer })
      setPlace(next)
      if (next === null) onAllRead()
    },
    // The error is not to wait for the list.
    onError: () => void refresh(),
  })
  const recorder = useRecorder({
    maxSeconds: MAX_SENTENCE_SECONDS,
    countdownSeconds: COUNTDOWN_SECONDS,
    onRecorded: (recording) => place !== null && reading.mutate({ at: place, recording }),
  })
  // Another sentence now would be shown above what is said of this one.
  const isBusy = reading.isPending || recorder.state !== 'idle'
  useEffect(() => {
    onBusy(isBusy)
    return () => onBusy(false)
  }, [isBusy, onBusy])
  const button = useRef<HTMLButtonElement>(null)
  const section = useRef<HTMLElement>(null)
  const stays = useRef(false)
  const toButton = (): void => button.current?.focus({ preventScroll: true })
  useEffect(() => {
    if (!stays.current) toButton()
    stays.current = false
  }, [place])
  useEffect(() => {
    // The sentence and what was heard, not the button alone.
    section.current?.scrollIntoView({ block: 'nearest' })
  }, [place, reading.status])
  const turnTo = (other: number): void => {
    reading.reset()
    setPlace(other)
  }
  // Who goes through the sentences keeps the focus where it is.
  const leafTo = (other: number): void => {
    stays.current = other !== place
    turnTo(other)
  }
  const isRead = place !== null && speaker.read.includes(sentences[place]!)
  const onward = (from: number): number => {
    const next = (from + 1) % sentences.length
    return isRead ? next : (nextUnread(sentences, [...speaker.read, sentences[from]!], next) ?? next)
  }
  return (
    <section ref={section} className={styles.reading} aria-label={WORDS.sentencesFor(speaker.name)}>
      <div aria-live="polite">
        {place === null ? (
          <p>{WORDS.allRead}</p>
        ) : (
          <>
            <p className="dim">
              {WORDS.sentenceOf(place + 1, sentences.length)}
              {isRead && WORDS.read}
            </p>
            <p className={styles.sentence}>{sentences[place]}</p>
          </>
        )}
      </div>
      <div className={styles.facts}>
        {place !== null && (
          <RecorderView
            recorder={recorder}
            button={button}
            label={isRead ? WORDS.recordItAgain : WORDS.recordTheSentence}
            maxSeconds={MAX_SENTENCE_SECONDS}
            isBusy={reading.isPending}
          />
        )}
        <Button
          variant="default"
          disabled={isBusy}
          onClick={() => leafTo(((place ?? sentences.length) + sentences.length - 1) % sentences.length)}
        >
          {WORDS.back}
        </Button>
        {place !== null && (
          <Button variant="default" disabled={isBusy} onClick={() => (isRead ? leafTo : turnTo)(onward(place))}>
            {isRead ? WORDS.next : WORDS.skipIt}
          </Button>
        )}
      </div>
      {place !== null && <p className="dim">{WORDS.keys}</p>}
      <ReadingOutcome
        kept={last}
        isPending={reading.isPending}
        error={reading.error}
        onSendAgain={() => {
          // Its button goes.
          toButton()
          if (reading.variables !== undefined) reading.mutate(reading.variables)
        }}
      />
      {last !== null && place !== last.place && (
        <Button variant="default" disabled={isBusy} onClick={() => turnTo(last.place)}>
          {WORDS.readSentenceAgain(last.place + 1)}
        </Button>
      )}
    </section>
  )
}

/** A sentence that was kept: its place in the list and what was heard. */
interface Kept {
  place: number
  answer: ReadSentence
}

interface OutcomeProps {
  /** The last one; null before the first. */
  kept: Kept | null
  isPending: boolean
  error: Error | null
  onSendAgain: () => void
}

/** What became of a reading. One that failed for another reason than its own is not read again for that. */
function ReadingOutcome({ kept, isPending, error, onSendAgain }: OutcomeProps) {
  return (
    <div className={styles.outcome}>
      <div role="status">
        {isPending ? WORDS.listening : error === null && kept !== null && <KeptSentence {...kept} />}
      </div>
      {error !== null && <ServiceFault error={error} service="stt" />}
      {error !== null && !isOfTheRecording(error) && (
        <Button variant="default" onClick={onSendAgain}>
          {WORDS.sendItAgain}
        </Button>
      )}
    </div>
  )
}

function KeptSentence({ place, answer: { heard, words, errors } }: Kept) {
  return <p>{WORDS.saved(place + 1, heard, outcomeWords(words, errors))}</p>
}
