import styles from './speech.module.css'
import { MultiSelect, TextInput } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { Form } from '../../components/dialog-form.tsx'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { EmptyPanel, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { AnswerList } from './answer-card.tsx'
import { RecordButton } from './record-button.tsx'
import { ServiceFault } from './service-fault.tsx'
import { useAsking } from './use-asking.ts'
import { SPEECH_WORDS } from './speech-words.ts'
import { requireContent } from './sound-buffer.ts'
import { transcribe } from './speech-client.ts'

/** Transcribes recordings. `prompt`: a text on what they talk about. */
function useTranscription(prompt: string, onText: (text: string) => void) {
  return useMutation({
    mutationFn: async (recording: Blob) => {
      requireContent(recording)
      return transcribe(recording, prompt)
    },
    onSuccess: ({ text }) => onText(text),
  })
}

const WORDS = SPEECH_WORDS.askByVoice

const AT_FIRST = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const MAX_QUESTION_SECONDS = 30

/** Speak a question, see its transcript, put it to several approaches, play each answer. */
export function AskByVoice({ dataset }: { dataset: DatasetView }) {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const aliases = useQuery(api.experiment.get.queryOptions()).data?.aliases ?? []
  const [question, setQuestion] = useState('')
  // Names that the documents hold are transcribed as they are written there; without them the recording is only harder to recognize.
  const input = { dataset_id: dataset.id }
  const prompt = useQuery(api.datasets.speechPrompt.queryOptions({ input })).data?.prompt ?? ''
  const transcription = useTranscription(prompt, setQuestion)
  const { asking, ask, isAsking } = useAsking(dataset.id)
  const chosen = search.models ?? AT_FIRST
  const wasNothing = transcription.isSuccess && transcription.data.text.trim() === ''
  const why = question.trim() === '' ? WORDS.needsQuestion : chosen.length === 0 ? WORDS.chooseAnApproach : null
  return (
    <>
      <Panel title={WORDS.askByVoice}>
        <Form className="stack" onSubmit={() => void ask(question.trim(), chosen)}>
          <div className={styles.actions}>
            <RecordButton
              maxSeconds={MAX_QUESTION_SECONDS}
              label={WORDS.recordAQuestion}
              isPrimary={false}
              onRecorded={transcription.mutate}
            />
            {transcription.isPending && <span role="status">{WORDS.listening}</span>}
            {transcription.data?.prompt_used === true && <span className="dim">{WORDS.datasetWords}</span>}
          </div>
          <TextInput
            label={WORDS.question}
            description={WORDS.recognizedAbout}
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
          {transcription.isError && <ServiceFault error={transcription.error} service="stt" />}
        </Form>
      </Panel>
      <Panel title={asking === null ? WORDS.answers : WORDS.answersTo(asking.question)}>
        {asking === null ? (
          <EmptyPanel title={WORDS.noQuestionYet}>
            <p>{WORDS.emptyAbout}</p>
          </EmptyPanel>
        ) : (
          <AnswerList asking={asking} label={WORDS.answers} className="stack" />
        )}
      </Panel>
    </>
  )
}
