import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ServiceView } from '../../../contract/control/services.ts'
import type { Speakers } from '../../../contract/http/speakers.ts'
import { notifyFailure } from '../../components/notify.ts'
import { EmptyPanel, ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { ReadingFault } from '../speech/service-fault.tsx'
import { NewSpeaker } from './new-speaker.tsx'
import { SpeakerRow } from './speaker-row.tsx'
import styles from './speakers.module.css'
import { useSpeakers } from './use-speakers.ts'
import { SPEAKERS_WORDS } from './speakers-words.ts'

const WORDS = SPEAKERS_WORDS.speakersPanel

/** People whose speech the recogniser is fitted to: enrol, read aloud, fit, delete. */
export function SpeakersPanel() {
  const { services, stt, runs, query, known } = useSpeakers()
  const heading = useRef<HTMLSpanElement>(null)
  const toHeading = (): void => heading.current?.focus({ preventScroll: true })
  return (
    <Panel
      title={
        <span ref={heading} tabIndex={-1}>
          {WORDS.title}
        </span>
      }
    >
      {services.isError && (
        <ErrorPanel error={services.error} what={WORDS.serviceList} retry={() => void services.refetch()} />
      )}
      {stt !== undefined && !runs && <StartStt stt={stt} onStart={toHeading} />}
      {(services.isPending || (runs && query.isPending)) && <LoadingRows rows={4} />}
      {runs && <ReadingFault query={query} service="stt" />}
      {known !== undefined && <SpeakerList known={known} onDeleted={toHeading} />}
    </Panel>
  )
}

function SpeakerList({ known, onDeleted }: { known: Speakers; onDeleted: () => void }) {
  const [isBusy, setIsBusy] = useState(false)
  const { data, min_sentences: least, unavailable } = known
  return (
    <div className={styles.stack}>
      {unavailable === null ? (
        <>
          <p className={styles.about}>{WORDS.explanation(least)}</p>
          <NewSpeaker isBusy={isBusy} />
        </>
      ) : (
        <EmptyPanel title={WORDS.cannotFit}>
          <p>{unavailable}</p>
        </EmptyPanel>
      )}
      {data.length === 0 ? (
        unavailable === null && <p className="dim">{WORDS.noSpeaker}</p>
      ) : (
        <ul className={styles.speakers} aria-label={WORDS.speakers}>
          {data.map((speaker) => (
            <SpeakerRow key={speaker.id} {...{ speaker, known, isBusy, onDeleted }} onBusy={setIsBusy} />
          ))}
        </ul>
      )}
    </div>
  )
}

/** Instead of the speakers while speech to text does not run. `onStart`: the button was pressed, and goes once the service runs. */
function StartStt({ stt, onStart }: { stt: ServiceView; onStart: () => void }) {
  const client = useQueryClient()
  const start = useMutation(
    api.services.start.mutationOptions({
      onSettled: () => void client.invalidateQueries({ queryKey: api.services.list.key() }),
      onError: (error) => notifyFailure('stt', error),
    }),
  )
  const isStarting = start.isPending || stt.state === 'starting' || stt.state === 'backoff'
  return (
    <div className={styles.stack}>
      <p role="status">{isStarting ? WORDS.starting : WORDS.needsService}</p>
      {!isStarting && stt.detail !== null && (
        <p>
          {stt.state === 'failed' && '▲ '}
          {WORDS.stt(stt.detail)}
          <a href="#/providers">{WORDS.seeItsLog}</a>
        </p>
      )}
      <Button
        disabled={!stt.can.start}
        loading={isStarting}
        onClick={() => {
          start.mutate({ name: stt.name })
          onStart()
        }}
      >
        {WORDS.start}
      </Button>
    </div>
  )
}
