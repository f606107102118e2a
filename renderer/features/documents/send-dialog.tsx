import { Button, Modal, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { count, plural } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import styles from './documents.module.css'
import { EMPTY_DATASET, NewDatasetFields } from './new-dataset-fields.tsx'
import { documentName } from './send-names.ts'
import { problemsOf, useSending } from './use-sending.ts'
import type { Sent } from './use-sending.ts'

/** Value of the choice that makes a dataset; no id looks like it. */
const NEW = '+'
/** More does not go into one document of a dataset by this way. */
const MOST_CHARACTERS = 1_000_000
const FIELDS = ['name', 'id', 'label', 'question.query', 'question.ground_truth']

/** Puts a converted document into a dataset's corpus: one that is there, or a new one with its first question. */
export function SendDialog({ fileName, markdown }: { fileName: string; markdown: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="compact-sm" onClick={() => setOpen(true)}>
        Send to a dataset
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Send ${fileName} to a dataset`} size="lg" centered>
        <SendForm {...{ fileName, markdown }} onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function SendForm({ fileName, markdown, onClose }: { fileName: string; markdown: string; onClose: () => void }) {
  const { data: datasets } = useQuery(api.datasets.list.queryOptions())
  const [name, setName] = useState(documentName(fileName))
  const [chosen, setChosen] = useState<string | null>(null)
  const [draft, setDraft] = useState(EMPTY_DATASET)
  const sending = useSending(setChosen)
  const { byField, rest } = problemsOf(sending.error, FIELDS)
  const to = chosen ?? NEW
  const dataset = datasets?.find(({ id }) => id === to)
  const isTooLong = markdown.length > MOST_CHARACTERS
  const isReady =
    name.trim() !== '' && (to !== NEW || (draft.id !== '' && draft.label.trim() !== '' && draft.query.trim() !== ''))
  if (sending.isSuccess) return <SentNote sent={sending.data} onClose={onClose} />
  return (
    <form
      className={styles.send}
      onSubmit={(event) => {
        event.preventDefault()
        const { id, label, query, answer } = draft
        const question = { query: query.trim(), ground_truth: answer.trim() === '' ? null : answer.trim() }
        sending.mutate({
          to: to === NEW ? { id, label: label.trim(), question } : to,
          ...{ name: name.trim(), text: markdown },
        })
      }}
    >
      <Select
        label="Dataset"
        allowDeselect={false}
        data={[
          { value: NEW, label: 'A new dataset' },
          ...(datasets?.map(({ id, label }) => ({ value: id, label })) ?? []),
        ]}
        value={to}
        onChange={setChosen}
      />
      {to === NEW && <NewDatasetFields draft={draft} onChange={setDraft} problems={byField} />}
      <TextInput
        label="Name of the document"
        description="Becomes a Markdown file of this name in the dataset’s corpus folder"
        maxLength={120}
        value={name}
        error={byField['name']}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {dataset !== undefined && dataset.published !== null && (
        <p>
          ▲ {dataset.label} has published results. They stay, but results of the changed corpus cannot be compared with
          them.
        </p>
      )}
      {isTooLong && (
        <p role="alert">
          ▲ The text has {count(markdown.length)} characters; up to {count(MOST_CHARACTERS)} can be sent. Save it and
          put the file into the corpus folder yourself.
        </p>
      )}
      {rest !== null && <p role="alert">▲ {rest}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={sending.isPending} disabled={!isReady || isTooLong}>
          {to === NEW ? 'Make the dataset and send' : 'Send the document'}
        </Button>
      </div>
    </form>
  )
}

/** The document is in the corpus: what a person does next, and what happens by itself. */
function SentNote({ sent: { dataset, path }, onClose }: { sent: Sent; onClose: () => void }) {
  const { data } = useQuery(api.datasets.list.queryOptions())
  const view = data?.find(({ id }) => id === dataset)
  return (
    <div className={styles.send}>
      <p role="status">
        ● <strong>{path}</strong> is in the corpus of {view?.label ?? dataset}.
      </p>
      <ol className={styles.steps}>
        <li>
          Questions: {view === undefined ? 'some' : plural(view.questions, 'question')} so far.{' '}
          <Link to="/datasets" search={{ dataset, view: 'questions' }}>
            Add those that this document answers
          </Link>
          .
        </li>
        <li>Ingestion: the next run cuts, embeds and extracts the new document; until then no approach knows it.</li>
        <li>
          Run:{' '}
          <Link to="/launch" search={{ datasets: [dataset] }}>
            choose approaches and start
          </Link>
          .
        </li>
      </ol>
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  )
}
