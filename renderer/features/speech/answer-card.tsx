import { Button, Loader } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { usedPassageCount } from '../../../core/evidence/shown-passages.ts'
import { MAX_SPEECH_CHARACTERS } from '../../../contract/http/speech.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { duration, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { equalAnswers } from './equal-answers.ts'
import { speak, type SpokenAnswer } from './speech-client.ts'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'
import { type Asked, type Asking, messageOf } from './use-asking.ts'
import { Waveform } from './waveform.tsx'

const WORDS = SPEECH_WORDS.askByVoice

const restsOn = ({ sources, isReported }: SpokenAnswer): string =>
  isReported ? usedPassageCount(sources.length) : plural(sources.length, 'source')

/** The answers to a question; one that an approach before it has given is folded. */
export function AnswerList({
  asking: { question, answers },
  label,
  className,
}: {
  asking: Asking
  label: string
  className: string | undefined
}) {
  const equal = equalAnswers(answers)
  return (
    <ol className={className} aria-label={label}>
      {answers.map((asked) => (
        <AnswerCard key={question + asked.alias} asked={asked} sameAs={equal.get(asked.alias) ?? null} />
      ))}
    </ol>
  )
}

/** One approach's answer, to read and to play. */
function AnswerCard({
  asked: { alias, state, answer, ms, problem },
  sameAs,
}: {
  asked: Asked
  /** An approach before it with the same answer; null for the first one. */
  sameAs: string | null
}) {
  const speaking = useMutation({ mutationFn: speak })
  const hasText = answer !== null && answer.text.trim() !== ''
  return (
    <li className="box stack snug" aria-label={alias}>
      <header className={styles.answerHead}>
        <strong>
          <ApproachName alias={alias} />
        </strong>
        <span className="dim" role="status">
          {state === 'waiting' && WORDS.waits}
          {state === 'asking' && (
            <>
              <Loader size="xs" />
              {WORDS.asking}
            </>
          )}
          {state === 'answered' && `● ${duration(ms)}, ${answer === null ? plural(0, 'source') : restsOn(answer)}`}
          {state === 'failed' && WORDS.noAnswer}
        </span>
        {hasText && (
          <Button
            size="compact-sm"
            loading={speaking.isPending}
            onClick={() => speaking.mutate({ input: answer.text.slice(0, MAX_SPEECH_CHARACTERS) })}
          >
            {WORDS.hear(alias)}
          </Button>
        )}
      </header>
      {hasText &&
        (sameAs === null ? (
          <AnswerText text={answer.text} />
        ) : (
          <details>
            <summary>{WORDS.sameAnswer(sameAs)}</summary>
            <AnswerText text={answer.text} />
          </details>
        ))}
      {answer !== null && answer.sources.length > 0 && (
        <details>
          <summary>{WORDS.evidence}</summary>
          <ol>
            {answer.sources.map(({ name, text }, index) => (
              <li key={index}>
                <strong>{name}</strong>
                <p className={styles.read}>
                  <MarkedText text={text} isMarkdown />
                </p>
              </li>
            ))}
          </ol>
        </details>
      )}
      {answer !== null && !hasText && <p className="dim">{WORDS.emptyAnswer}</p>}
      {problem !== null && <p role="alert">▲ {problem}</p>}
      {speaking.isSuccess && <Waveform sound={speaking.data} label={WORDS.theAnswerOf(alias)} playsAtOnce />}
      {speaking.isError && <p role="alert">▲ {messageOf(speaking.error)}</p>}
    </li>
  )
}

function AnswerText({ text }: { text: string }) {
  return (
    <p className={styles.read}>
      <MarkedText text={text} isMarkdown />
    </p>
  )
}
