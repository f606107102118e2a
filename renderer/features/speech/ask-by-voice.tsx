import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { Panel } from '../../components/states.tsx'
import { control } from '../../data/client.ts'
import { RecordButton } from './record-button.tsx'
import { ServiceCallError, askApproach, speak, transcribe } from './speech-client.ts'
import { Waveform } from './waveform.tsx'
import styles from './speech.module.css'

/** Approaches that answer from a dataset without another service. */
const APPROACHES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'graph-rag', 'agentic-rag', 'workflow-adaptive-rag']

/** The platform serves one dataset at a time: it is started for this one before it is asked. */
async function ask({
  dataset,
  model,
  question,
}: {
  dataset: string
  model: string
  question: string
}): Promise<string> {
  await control.services.start({ name: 'platform', dataset_id: dataset })
  return askApproach(model, question)
}

/** Speak a question, see what was heard, ask an approach, hear the answer. */
export function AskByVoice({ dataset }: { dataset: DatasetView }) {
  const [question, setQuestion] = useState('')
  const [model, setModel] = useState('hybrid-rag')
  const hearing = useMutation({ mutationFn: transcribe, onSuccess: ({ text }) => setQuestion(text) })
  const asking = useMutation({ mutationFn: ask })
  const speaking = useMutation({ mutationFn: speak })
  const fault = hearing.error ?? asking.error ?? speaking.error
  return (
    <Panel title="Ask by voice">
      <div className={styles.stack}>
        <RecordButton maxSeconds={30} label="Record a question" onRecorded={hearing.mutate} />
        <div className={styles.fields}>
          <TextInput
            label="Question, as it was heard"
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
          <Select
            label="Approach"
            allowDeselect={false}
            data={APPROACHES}
            value={model}
            onChange={(next) => setModel(next ?? model)}
          />
        </div>
        <div className={styles.actions}>
          <Button
            loading={asking.isPending || hearing.isPending}
            disabled={question.trim() === ''}
            onClick={() => asking.mutate({ dataset: dataset.id, model, question })}
          >
            Ask this approach
          </Button>
          {asking.isSuccess && (
            <Button
              variant="default"
              loading={speaking.isPending}
              onClick={() => speaking.mutate({ input: asking.data })}
            >
              Read the answer aloud
            </Button>
          )}
        </div>
        {asking.isSuccess && <p className={styles.read}>{asking.data}</p>}
        {speaking.isSuccess && <Waveform sound={speaking.data} label="the answer" />}
        {fault !== null && (
          <p role="alert">▲ {fault instanceof ServiceCallError ? fault.message : controlErrorOf(fault).message}</p>
        )}
        <p className="dim">Answers come from what the last run of this rung has ingested.</p>
      </div>
    </Panel>
  )
}
