import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId, useRef, useState } from 'react'
import type { Speaker, Speakers } from '../../../contract/http/speakers.ts'
import { duration, moment, plural } from '../../components/format.ts'
import { StateDot } from '../../components/state-dot.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { FitStatus } from './fit-status.tsx'
import { fitWords } from './fit-words.ts'
import { totalSentences } from './next-sentence.ts'
import { ReadingView } from './reading-view.tsx'
import { deleteSpeaker } from './speaker-client.ts'
import styles from './speakers.module.css'
import { useFitting } from './use-fitting.ts'
import { useSpeakerChanges } from './use-speakers.ts'

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
      ? ' Waits for the fitting to another speaker.'
      : isBusy && !isOpen
        ? ' Waits for the recording of another speaker.'
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
                {isOpen ? 'Stop reading' : read.length === 0 ? 'Read sentences' : 'Go on reading'}
                <span className="hidden-text"> as {name}</span>
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
                Fit the recogniser<span className="hidden-text"> to {name}</span>
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
            {isSure ? 'Delete the recordings for good' : 'Delete'}
            <span className="hidden-text">
              {isSure && ' of'} {name}
            </span>
          </Button>
        </div>
      </div>
      <p className="dim">
        {read.length} of {plural(totalSentences(known.sentences, read), 'sentence')} read
        {read.length > 0 && `, ${duration(seconds * 1000)}`}, enrolled {moment(created)}
        {consent === null && ', consent not stated'}.
      </p>
      <p id={stateId}>
        <StateDot tone={fit?.used === true ? 'good' : 'idle'} />{' '}
        {fitWords(speaker, known) ??
          (missing > 0
            ? `Not fitted: ${plural(missing, 'more sentence')} must be read first.`
            : 'Not fitted yet: enough sentences are read.')}
        {canRead && waitsFor}
      </p>
      <FitStatus since={fitting.since} />
      {fitting.error !== null && <ServiceFault error={fitting.error} service="stt" />}
      {remove.isError && <ServiceFault error={remove.error} service="stt" />}
      {isOpen && <ReadingView speaker={speaker} sentences={known.sentences} onBusy={onBusy} onAllRead={toHeading} />}
    </li>
  )
}
