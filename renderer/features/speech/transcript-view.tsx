import { Button } from '@mantine/core'
import { Fragment } from 'react'
import type { AdvancedTranscription, SpokenSegment } from '../../../contract/http/speech.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { formsOf, transcriptAs } from './subtitles.ts'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.transcriptView

interface Props {
  transcript: AdvancedTranscription
  /** Place of the playing sound, in seconds. */
  time: number
  onSeek: (seconds: number) => void
}

/** Shows what was said, to read and to take along. */
export function TranscriptView({ transcript, time, onSeek }: Props) {
  const segments = transcript.segments ?? []
  if (segments.length === 0 && transcript.text.trim() === '') return <p className="dim">{WORDS.noSpeech}</p>
  return (
    <>
      {segments.length > 0 ? (
        <TimedSentences segments={segments} time={time} onSeek={onSeek} />
      ) : (
        <div className="stack">
          <p className={styles.read}>{transcript.text}</p>
          <p className="dim">{WORDS.noTimes}</p>
        </div>
      )}
      <div className={styles.actions}>
        {formsOf(transcript).map((form) => (
          <Button
            key={form}
            onClick={() => {
              navigator.clipboard.writeText(transcriptAs(form, transcript)).then(
                () => notifyDone(WORDS.copiedAs(form)),
                (error: unknown) => notifyFailure(WORDS.copying, error),
              )
            }}
          >
            {WORDS.copyAs(form)}
          </Button>
        ))}
      </div>
    </>
  )
}

/** Sentences with words that play from where they were said. */
function TimedSentences({ segments, time, onSeek }: Omit<Props, 'transcript'> & { segments: SpokenSegment[] }) {
  return (
    <ol className={styles.sentences} aria-label={WORDS.transcript}>
      {segments.map(({ id, start, words }) => (
        <li key={id}>
          <span className={styles.stamp}>{WORDS.seconds(start.toFixed(1))}</span>
          <span>
            {words.map((word, i) => (
              <Fragment key={i}>
                <button
                  type="button"
                  className={styles.word}
                  data-now={time >= word.start && time < word.end}
                  title={WORDS.toS(word.start.toFixed(2), word.end.toFixed(2))}
                  onClick={() => onSeek(word.start)}
                >
                  {word.text}
                </button>{' '}
              </Fragment>
            ))}
          </span>
        </li>
      ))}
    </ol>
  )
}
