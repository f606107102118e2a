import { Button, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { DialogButton, DialogForm } from '../../components/dialog-form.tsx'
import { count, plural } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import styles from './documents.module.css'
import { DatasetFields, EMPTY_DATASET } from '../own-data/dataset-fields.tsx'
import { documentName } from './send-names.ts'
import { type Sent, SendingStoppedError, useSending } from './use-sending.ts'
import { DOCUMENTS_WORDS } from './documents-words.ts'

const WORDS = DOCUMENTS_WORDS.sendDialog

/** Value of the choice that makes a dataset; no id looks like it. */
const NEW = '+'
/** More does not go into one document of a dataset by this way. */
const MOST_CHARACTERS = 1_000_000
const FIELDS = ['name', 'id', 'label', 'description']

/** Puts a converted document into a dataset that can be edited, or into a new one. */
export function SendDialog({ fileName, markdown }: { fileName: string; markdown: string }) {
  return (
    <DialogButton size="compact-sm" variant="filled" label={WORDS.send} title={WORDS.sendFile(fileName)}>
      {(close) => <SendForm {...{ fileName, markdown }} onClose={close} />}
    </DialogButton>
  )
}

function SendForm({ fileName, markdown, onClose }: { fileName: string; markdown: string; onClose: () => void }) {
  const { data: datasets } = useQuery(api.datasets.list.queryOptions())
  const [name, setName] = useState(documentName(fileName))
  const [chosen, setChosen] = useState<string | null>(null)
  const [draft, setDraft] = useState(EMPTY_DATASET)
  const sending = useSending(setChosen)
  const stopped = sending.error instanceof SendingStoppedError ? sending.error : null
  const { byField, rest } = problemsOf(stopped?.cause ?? sending.error, FIELDS)
  const problem = stopped === null ? rest : `${stopped.message}: ${controlErrorOf(stopped.cause).message}`
  const to = chosen ?? NEW
  const isTooLong = markdown.length > MOST_CHARACTERS
  const isReady = name.trim() !== '' && (to !== NEW || (draft.id !== '' && draft.label.trim() !== ''))
  if (sending.isSuccess) return <SentNote sent={sending.data} onClose={onClose} />
  return (
    <DialogForm
      submit={to === NEW ? WORDS.makeAndSend : WORDS.sendTheDocument}
      isReady={isReady && !isTooLong}
      isPending={sending.isPending}
      problem={problem}
      onCancel={onClose}
      onSubmit={() => {
        const { id, label, description } = draft
        sending.mutate({
          to: to === NEW ? { id, label: label.trim(), description: description.trim() } : to,
          name: name.trim(),
          text: markdown,
        })
      }}
    >
      <Select
        label={WORDS.dataset}
        data={[
          { value: NEW, label: WORDS.aNewDataset },
          ...(datasets?.filter(({ own }) => own).map(({ id, label }) => ({ value: id, label })) ?? []),
        ]}
        value={to}
        onChange={setChosen}
      />
      {to === NEW && <DatasetFields draft={draft} onChange={setDraft} problems={byField} />}
      <TextInput
        label={WORDS.documentName}
        description={WORDS.documentNameAbout}
        maxLength={120}
        value={name}
        error={byField['name']}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {isTooLong && <p role="alert">{WORDS.tooLong(count(markdown.length), count(MOST_CHARACTERS))}</p>}
    </DialogForm>
  )
}

/** The document is in the corpus: what a person does next, and what happens by itself. */
function SentNote({ sent: { dataset, path }, onClose }: { sent: Sent; onClose: () => void }) {
  const { data } = useQuery(api.datasets.list.queryOptions())
  const view = data?.find(({ id }) => id === dataset)
  return (
    <div className="stack">
      <p role="status">
        ● <strong>{path}</strong>
        {WORDS.sent(view?.label ?? dataset)}
      </p>
      <ol className={styles.steps}>
        <li>
          {WORDS.questionsSoFar(view === undefined ? 'some' : plural(view.questions, 'question'))}
          <Link to="/datasets" search={{ dataset, view: 'questions' }}>
            {WORDS.addQuestions}
          </Link>
          .
        </li>
        <li>{WORDS.ingestionNext}</li>
        <li>
          {WORDS.run}
          <Link to="/launch" search={{ datasets: [dataset] }}>
            {WORDS.chooseAndStart}
          </Link>
          .
        </li>
      </ol>
      <div className="buttons">
        <Button onClick={onClose}>{WORDS.close}</Button>
      </div>
    </div>
  )
}
