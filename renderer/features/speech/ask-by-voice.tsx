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
import { SpeakerSelect } from '../speakers/speaker-select.tsx'
import { RecordButton } from './record-button.tsx'
import { ServiceFault } from './service-fault.tsx'
import { speak } from './speech-client.ts'
import styles from './speech.module.css'
import { type Asked, messageOf, useAsking } from './use-asking.ts'
import { useHearing } from './use-hearing.ts'
import { Waveform } from './waveform.tsx'

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
  const why = question.trim() === '' ? 'Record or type a question.' : chosen.length === 0 ? 'Choose an approach.' : null
  return (
    <>
      <Panel title="Ask by voice">
        <form
          className={styles.stack}
          onSubmit={(event) => {
            event.preventDefault()
            void ask(question.trim(), chosen)
          }}
        >
          <SpeakerSelect />
          <div className={styles.actions}>
            <RecordButton maxSeconds={MAX_QUESTION_SECONDS} label="Record a question" onRecorded={hearing.mutate} />
            {hearing.isPending && <span role="status">Listening …</span>}
            {hearing.data?.prompt_used === true && (
              <span className="dim">Recognised with the words of this dataset.</span>
            )}
            {hearing.data?.fittedTo !== undefined && <span className="dim">Fitted to {hearing.data.fittedTo}.</span>}
          </div>
          <TextInput
            label="Question"
            description="As it was heard; correct it, or type one"
            value={question}
            error={wasNothing ? 'No word was recognised in the recording' : undefined}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
          <MultiSelect
            label="Approaches"
            description="Asked one after the other, so that their times can be compared"
            searchable
            data={aliases.map(({ alias }) => alias)}
            value={chosen}
            onChange={(models) => void navigate({ search: { ...search, models }, replace: true })}
          />
          <div className={styles.actions}>
            <ButtonWithReason type="submit" loading={isAsking} why={why}>
              Ask {plural(chosen.length, 'approach', 'approaches')}
            </ButtonWithReason>
            <span className="dim">Answers come from what the last run of this rung has ingested.</span>
          </div>
          {hearing.isError && <ServiceFault error={hearing.error} service="stt" />}
        </form>
      </Panel>
      <Panel title={asking === null ? 'Answers' : `Answers to “${asking.question}”`}>
        {asking === null ? (
          <EmptyPanel title="No question yet">
            <p>Each approach’s answer appears here with its time, to read and to hear.</p>
          </EmptyPanel>
        ) : (
          <ol className={styles.answers} aria-label="Answers">
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
