import { Button } from '@mantine/core'
import type { ReadSentence } from '../../../contract/http/speakers.ts'
import { ServiceFault } from '../speech/service-fault.tsx'
import { outcomeWords } from './fit-words.ts'
import { isOfTheRecording } from './reading-fault.ts'
import styles from './speakers.module.css'

/** A sentence that was kept: its place in the list and what was heard. */
export interface Kept {
  place: number
  answer: ReadSentence
}

interface Props {
  /** The last one; null before the first. */
  kept: Kept | null
  isPending: boolean
  error: Error | null
  onSendAgain: () => void
}

/** What became of a reading. One that failed for another reason than its own is not read again for that. */
export function ReadingOutcome({ kept, isPending, error, onSendAgain }: Props) {
  return (
    <div className={styles.outcome}>
      <div role="status">
        {isPending ? 'Listening …' : error === null && kept !== null && <KeptSentence {...kept} />}
      </div>
      {error !== null && <ServiceFault error={error} service="stt" />}
      {error !== null && !isOfTheRecording(error) && (
        <Button variant="default" onClick={onSendAgain}>
          Send it again
        </Button>
      )}
    </div>
  )
}

function KeptSentence({ place, answer: { heard, words, errors } }: Kept) {
  return (
    <p>
      Sentence {place + 1} is kept. Heard: “{heard}”, {outcomeWords(words, errors)}.
    </p>
  )
}
