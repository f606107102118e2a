import { Button, Loader, MultiSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { MAX_SPEECH_CHARACTERS } from '../../../contract/http/speech.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { duration, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { EmptyPanel, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { RecordButton } from './record-button.tsx'
import { ServiceFault } from './service-fault.tsx'
import { speak } from './speech-client.ts'
import styles from './speech.module.css'
import { type Asked, messageOf, useAsking } from './use-asking.ts'
import { useHearing } from './use-hearing.ts'
import { Waveform } from './waveform.tsx'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.askByVoice

const AT_FIRST = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const MAX_QUESTION_SECONDS = 30

/** Speak a question, see what was heard, put it to several approaches, hear each answer. */
export function AskByVoice({ dataset }: { dataset: DatasetView }) {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const aliases = useQuery(api.experiment.get.queryOptions()).data?.aliases ?? []
  const [question, setQuestion] = useState('')
  // Names that the documents hold are heard as they are written there; without them it is only a harder recording.
  const input = { dataset_id: dataset.id }
  const prompt = useQuery(api.datasets.speechPrompt.queryOptions({ input })).data?.prompt ?? ''
  const hearing = useHearing({ prompt, onHeard: setQuestion })
  const { asking, ask, isAsking } = useAsking(dataset.id)
  const chosen = search.models ?? AT_FIRST
  const wasNothing = hearing.isSuccess && hearing.data.text.trim() === ''
  const why = question.trim() === '' ? WORDS.needsQuestion : chosen.length === 0 ? WORDS.chooseAnApproach : null
  return (
    <>
      <Panel title={WORDS.askByVoice}>
        <form
          className={styles.stack}
          onSubmit={(event) => {
            event.preventDefault()
            void ask(question.trim(), chosen)
          }}
        >
          <div className={styles.actions}>
            <RecordButton maxSeconds={MAX_QUESTION_SECONDS} label={WORDS.recordAQuestion} onRecorded={hearing.mutate} />
            {hearing.isPending && <span role="status">{WORDS.listening}</span>}
            {hearing.data?.prompt_used === true && <span className="dim">{WORDS.datasetWords}</span>}
          </div>
          <TextInput
            label={WORDS.question}
            description={WORDS.recognisedAbout}
            value={question}
            error={wasNothing ? WORDS.noWord : undefined}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
          <MultiSelect
            label={WORDS.approaches}
            description={WORDS.approachesAbout}
            searchable
            data={aliases.map(({ alias }) => alias)}
            value={chosen}
            onChange={(models) => void navigate({ search: { ...search, models }, replace: true })}
          />
          <div className={styles.actions}>
            <ButtonWithReason type="submit" loading={isAsking} why={why}>
              {WORDS.ask(chosen.length)}
            </ButtonWithReason>
            <span className="dim">{WORDS.answersFrom}</span>
          </div>
          {hearing.isError && <ServiceFault error={hearing.error} service="stt" />}
        </form>
      </Panel>
      <Panel title={asking === null ? WORDS.answers : WORDS.answersTo(asking.question)}>
        {asking === null ? (
          <EmptyPanel title={WORDS.noQuestionYet}>
            <p>{WORDS.emptyAbout}</p>
          </EmptyPanel>
        ) : (
          <ol className={styles.answers} aria-label={WORDS.answers}>
            {asking.answers.map((asked) => (
              <SpokenAnswerCard key={asking.question + asked.alias} asked={asked} />
            ))}
          </ol>
        )}
      </Panel>
    </>
  )
}

/** One approach's answer, to read and to hear. */
function SpokenAnswerCard({ asked: { alias, state, answer, ms, problem } }: { asked: Asked }) {
  const speaking = useMutation({ mutationFn: speak })
  const hasText = answer !== null && answer.text.trim() !== ''
  return (
    <li className={styles.answer} aria-label={alias}>
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
          {state === 'answered' && `● ${duration(ms)}, ${plural(answer?.sources.length ?? 0, 'source')}`}
          {state === 'failed' && WORDS.noAnswer}
        </span>
        {hasText && (
          <Button
            size="compact-sm"
            variant="default"
            loading={speaking.isPending}
            onClick={() => speaking.mutate({ input: answer.text.slice(0, MAX_SPEECH_CHARACTERS) })}
          >
            {WORDS.hear(alias)}
          </Button>
        )}
      </header>
      {hasText && (
        <p className={styles.read}>
          <MarkedText text={answer.text} />
        </p>
      )}
      {answer !== null && answer.sources.length > 0 && (
        <details>
          <summary>{WORDS.evidence}</summary>
          <ol>
            {answer.sources.map(({ name, text }, index) => (
              <li key={index}>
                <strong>{name}</strong>
                <p className={styles.read}>
                  <MarkedText text={text} />
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
