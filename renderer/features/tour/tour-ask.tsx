import { Button, TextInput } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from '../../components/dialog-form.tsx'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { AnswerList } from '../speech/answer-card.tsx'
import { useAsking } from '../speech/use-asking.ts'
import { TOUR_WORDS } from './tour-words.ts'
import styles from './tour.module.css'

const WORDS = TOUR_WORDS.ask

interface TourAskProps {
  dataset: string
  approaches: string[]
  onLeave: () => void
}

/** The person's own question, answered by every approach; the documents are there to read. */
export function TourAsk({ dataset, approaches, onLeave }: TourAskProps) {
  const navigate = useNavigate()
  const [question, setQuestion] = useState('')
  const { asking, ask, isAsking } = useAsking(dataset)
  const isAnswered = asking?.answers.some(({ state }) => state === 'answered') === true && !isAsking
  return (
    <>
      <div className={styles.text}>
        <p>{WORDS.what}</p>
        <TourDocuments dataset={dataset} />
        <Form
          className={styles.text}
          onSubmit={() => {
            if (question.trim() !== '') void ask(question.trim(), approaches)
          }}
        >
          <TextInput
            label={WORDS.question}
            placeholder={WORDS.placeholder}
            value={question}
            onChange={({ currentTarget: { value } }) => setQuestion(value)}
          />
          <div className="row">
            <ButtonWithReason
              type="submit"
              loading={isAsking}
              why={question.trim() === '' ? WORDS.needsQuestion : null}
            >
              {WORDS.ask}
            </ButtonWithReason>
          </div>
        </Form>
      </div>
      {asking !== null && <AnswerList asking={asking} label={asking.question} className={styles.answers} />}
      <div role="status">
        {isAsking && <p className="dim">{WORDS.asking}</p>}
        {isAnswered && <p>{WORDS.answered}</p>}
      </div>
      {isAnswered && (
        <div>
          <Button
            variant="filled"
            title={WORDS.ownAbout}
            onClick={() => {
              onLeave()
              void navigate({ to: '/datasets' })
            }}
          >
            {WORDS.own}
          </Button>
        </div>
      )}
    </>
  )
}

/** The documents as they are, so that a person knows what can be asked. */
function TourDocuments({ dataset }: { dataset: string }) {
  const list = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: dataset } }))
  const documents = list.data?.documents ?? []
  const texts = useQueries({
    queries: documents.map(({ path }) => api.datasets.document.queryOptions({ input: { dataset_id: dataset, path } })),
  })
  if (list.isError) return <ErrorPanel error={list.error} what={WORDS.documents(0)} retry={() => void list.refetch()} />
  if (list.data === undefined) return <LoadingRows rows={1} />
  return (
    <details>
      <summary>{WORDS.documents(documents.length)}</summary>
      <div className={styles.documents} tabIndex={0} role="region" aria-label={WORDS.documents(documents.length)}>
        {texts.map(({ data }, index) => (
          <pre key={documents[index]!.path}>{data?.is_text === true ? data.text.trim() : documents[index]!.title}</pre>
        ))}
      </div>
    </details>
  )
}
