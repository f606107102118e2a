import { Button, Loader } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { MAX_SPEECH_CHARACTERS } from '../../../contract/http/speech.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { duration, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { speak } from './speech-client.ts'
import { type Asked, messageOf } from './use-asking.ts'
import { Waveform } from './waveform.tsx'
import styles from './speech.module.css'

/** One approach's answer, to read and to hear. */
export function SpokenAnswerCard({ asked: { alias, state, answer, ms, problem } }: { asked: Asked }) {
  const speaking = useMutation({ mutationFn: speak })
  const hasText = answer !== null && answer.text.trim() !== ''
  return (
    <li className={styles.answer} aria-label={alias}>
      <header className={styles.answerHead}>
        <strong>
          <ApproachName alias={alias} />
        </strong>
        <span className="dim" role="status">
          {state === 'waiting' && '○ waits for the approach before it'}
          {state === 'asking' && (
            <>
              <Loader size="xs" /> asking …
            </>
          )}
          {state === 'answered' && `● ${duration(ms)}, ${plural(answer?.contexts ?? 0, 'source')}`}
          {state === 'failed' && '▲ no answer'}
        </span>
        {hasText && (
          <Button
            size="compact-sm"
            variant="default"
            loading={speaking.isPending}
            onClick={() => speaking.mutate({ input: answer.text.slice(0, MAX_SPEECH_CHARACTERS) })}
          >
            Hear {alias}
          </Button>
        )}
      </header>
      {hasText && (
        <p className={styles.read}>
          <MarkedText text={answer.text} />
        </p>
      )}
      {answer !== null && !hasText && <p className="dim">The answer is empty: there is nothing to hear.</p>}
      {problem !== null && <p role="alert">▲ {problem}</p>}
      {speaking.isSuccess && <Waveform sound={speaking.data} label={`the answer of ${alias}`} playsAtOnce />}
      {speaking.isError && <p role="alert">▲ {messageOf(speaking.error)}</p>}
    </li>
  )
}
