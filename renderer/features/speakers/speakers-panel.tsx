import { useRef, useState } from 'react'
import type { Speakers } from '../../../contract/http/speakers.ts'
import { EmptyPanel, ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { ReadingFault } from '../speech/service-fault.tsx'
import { NewSpeaker } from './new-speaker.tsx'
import { SpeakerRow } from './speaker-row.tsx'
import { StartStt } from './start-stt.tsx'
import styles from './speakers.module.css'
import { useSpeakers } from './use-speakers.ts'

/** People whose speech the recogniser is fitted to: enrol, read aloud, fit, delete. */
export function SpeakersPanel() {
  const { services, stt, runs, query, known } = useSpeakers()
  const heading = useRef<HTMLSpanElement>(null)
  const toHeading = (): void => heading.current?.focus({ preventScroll: true })
  return (
    <Panel
      title={
        <span ref={heading} tabIndex={-1}>
          Speakers the recogniser knows
        </span>
      }
    >
      {services.isError && (
        <ErrorPanel error={services.error} what="The list of services" retry={() => void services.refetch()} />
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
          <p className={styles.about}>
            Whoever reads at least {least} sentences aloud can have the recogniser fitted to their speech. How well it
            then hears is measured on sentences that were kept out of the fitting, and the fit is used only where it
            hears better.
          </p>
          <NewSpeaker isBusy={isBusy} />
        </>
      ) : (
        <EmptyPanel title="The recogniser cannot be fitted here">
          <p>{unavailable}</p>
        </EmptyPanel>
      )}
      {data.length === 0 ? (
        unavailable === null && <p className="dim">Nobody is enrolled yet.</p>
      ) : (
        <ul className={styles.speakers} aria-label="Speakers">
          {data.map((speaker) => (
            <SpeakerRow key={speaker.id} {...{ speaker, known, isBusy, onDeleted }} onBusy={setIsBusy} />
          ))}
        </ul>
      )}
    </div>
  )
}
