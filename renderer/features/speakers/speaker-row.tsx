import { Button, Loader } from '@mantine/core'
import { useIsMutating, useMutation, useMutationState } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId, useRef, useState } from 'react'
import type { Speaker, Speakers } from '../../../contract/http/speakers.ts'
import { duration, moment } from '../../components/format.ts'
import { notifyDone } from '../../components/notify.ts'
import { StateDot } from '../../components/state-dot.tsx'
import { useNow } from '../../components/use-now.ts'
import { ServiceFault } from '../speech/service-fault.tsx'
import { fitWords } from './fit-words.ts'
import { totalSentences } from './next-sentence.ts'
import { ReadingView } from './reading-view.tsx'
import { deleteSpeaker, fitSpeaker } from './speaker-client.ts'
import styles from './speakers.module.css'
import { useSpeakerChanges } from './use-speakers.ts'
import { SPEAKERS_WORDS } from './speakers-words.ts'

const WORDS = SPEAKERS_WORDS.speakerRow

interface Props {
  speaker: Speaker
  known: Speakers
  /** A sentence is being recorded or heard, of this speaker or another: a fit would drop it. */
  isBusy: boolean
  onBusy: (isBusy: boolean) => void
  /** The row goes, and the focus with it. */
  onDeleted: () => void
}

/** One enrolled speaker: what was read, what the fit came to, and what can be done. */
export function SpeakerRow({ speaker, known, isBusy, onBusy, onDeleted }: Props) {
  const { id, name, read, seconds, created, consent, fit } = speaker
  const navigate = useNavigate({ from: '/speech' })
  const { reader } = useSearch({ from: '/speech' })
  const [isSure, setIsSure] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const toHeading = (): void => heading.current?.focus({ preventScroll: true })
  const { forget, refresh } = useSpeakerChanges()
  const fitting = useFitting(speaker)
  const remove = useMutation({
    mutationFn: () => deleteSpeaker(id),
    onSuccess: () => {
      onDeleted()
      forget(id)
    },
    // The error is not to wait for the list.
    onError: () => void refresh(),
  })
  const stateId = useId()
  const canRead = known.unavailable === null
  // The service takes no other recording meanwhile.
  const isOpen = canRead && reader === id && !fitting.isAnyUnderWay
  const missing = known.min_sentences - read.length
  const waitsFor =
    fitting.isAnyUnderWay && fitting.since === null
      ? WORDS.waitsForFit
      : isBusy && !isOpen
        ? WORDS.waitsForRecording
        : ''
  return (
    <li className={styles.speaker} aria-label={name}>
      <div className={styles.head}>
        <h3 ref={heading} tabIndex={-1}>
          {name}
        </h3>
        <div className={styles.facts}>
          {canRead && (
            <>
              <Button
                variant="default"
                aria-expanded={isOpen}
                aria-describedby={stateId}
                disabled={fitting.isAnyUnderWay || (isBusy && !isOpen)}
                onClick={() => void navigate({ search: isOpen ? {} : { reader: id }, replace: true })}
              >
                {isOpen ? WORDS.stopReading : read.length === 0 ? WORDS.readSentences : WORDS.continueReading}
                <span className="hidden-text">{WORDS.as(name)}</span>
              </Button>
              <Button
                variant={fit === null && missing <= 0 ? 'filled' : 'default'}
                aria-describedby={stateId}
                disabled={missing > 0 || fitting.isAnyUnderWay || isBusy}
                onClick={() => {
                  // A disabled button keeps no focus.
                  toHeading()
                  fitting.start()
                }}
              >
                {WORDS.fitTheRecogniser}
                <span className="hidden-text">{WORDS.to(name)}</span>
              </Button>
            </>
          )}
          <Button
            variant="default"
            color="red"
            loading={remove.isPending}
            disabled={fitting.since !== null}
            onBlur={() => setIsSure(false)}
            onClick={() => (isSure ? remove.mutate() : setIsSure(true))}
          >
            {isSure ? WORDS.deleteForGood : WORDS.delete}
            <span className="hidden-text">
              {isSure && WORDS.of} {name}
            </span>
          </Button>
        </div>
      </div>
      <p className="dim">
        {WORDS.ofRead(read.length, totalSentences(known.sentences, read))}
        {read.length > 0 && `, ${duration(seconds * 1000)}`}
        {WORDS.enrolled(moment(created))}
        {consent === null && WORDS.consentNotStated}.
      </p>
      <p id={stateId}>
        <StateDot tone={fit?.used === true ? 'good' : 'idle'} />{' '}
        {fitWords(speaker, known) ?? (missing > 0 ? WORDS.tooFew(missing) : WORDS.enough)}
        {canRead && waitsFor}
      </p>
      <FitStatus since={fitting.since} />
      {fitting.error !== null && <ServiceFault error={fitting.error} service="stt" />}
      {remove.isError && <ServiceFault error={remove.error} service="stt" />}
      {isOpen && <ReadingView speaker={speaker} sentences={known.sentences} onBusy={onBusy} onAllRead={toHeading} />}
    </li>
  )
}

/** That a fitting is under way, and for how long. `since`: milliseconds since 1970; null while none is, so that the first words are read out, too. */
function FitStatus({ since }: { since: number | null }) {
  const now = useNow(since !== null)
  return (
    <div className={styles.facts}>
      {since !== null && <Loader size="xs" />}
      <span role="status">{since !== null && WORDS.fitting}</span>
      {/* Outside of what is read out: it changes each second. */}
      {since !== null && <span className="dim">{WORDS.seconds(Math.max(0, Math.floor((now - since) / 1000)))}</span>}
    </div>
  )
}

const ALL_FITS = ['speech', 'fit']

/** The fitting of the recogniser to a speaker. It goes on when the page is left, and is found again afterwards. */
function useFitting({ id, name }: Speaker) {
  const { keep, refresh } = useSpeakerChanges()
  const mutationKey = [...ALL_FITS, id]
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: () => fitSpeaker(id),
    onSuccess: (speaker) => {
      keep(speaker)
      notifyDone(speaker.fit?.used === true ? WORDS.fitted(name) : WORDS.notBetter(name))
    },
    // The error is not to wait for the list.
    onError: () => void refresh(),
  })
  const last = useMutationState({ filters: { mutationKey }, select: ({ state }) => state }).at(-1)
  return {
    start: () => mutate(),
    /** Milliseconds since 1970; null when none is under way. */
    since: last?.status === 'pending' ? last.submittedAt : null,
    error: last?.error ?? null,
    /** One takes all of the processor: a second one waits. */
    isAnyUnderWay: useIsMutating({ mutationKey: ALL_FITS }) > 0,
  }
}
