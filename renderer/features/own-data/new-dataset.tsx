import { Button, type ButtonProps, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../documents/use-sending.ts'
import { datasetId } from '../documents/send-names.ts'
import { DatasetFields, EMPTY_DATASET } from './dataset-fields.tsx'
import styles from './own-data.module.css'
import { OWN_WORDS } from './own-words.ts'
import { useDatasetRefresh } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.newDataset

interface NewDatasetProps {
  /** A dataset to copy; empty without. */
  copyOf?: { id: string; label: string }
  label: string
  variant?: ButtonProps['variant']
}

/** Makes an empty dataset or a copy of one, and opens it. */
export function NewDatasetButton({ copyOf, label, variant = 'default' }: NewDatasetProps) {
  const [isOpen, setOpen] = useState(false)
  const title = copyOf === undefined ? WORDS.title : OWN_WORDS.duplicate.title(copyOf.label)
  return (
    <>
      <Button
        variant={variant}
        leftSection={copyOf === undefined ? <Icon name="plus" /> : null}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={title} size="lg" centered>
        <NewDatasetForm copyOf={copyOf} onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function NewDatasetForm({ copyOf, onClose }: { copyOf: NewDatasetProps['copyOf']; onClose: () => void }) {
  const navigate = useNavigate()
  const refresh = useDatasetRefresh()
  const copied = copyOf === undefined ? '' : OWN_WORDS.duplicate.copyOf(copyOf.label)
  const [draft, setDraft] = useState({ ...EMPTY_DATASET, label: copied, id: datasetId(copied) })
  const create = useMutation(
    api.datasets.create.mutationOptions({
      onSuccess: async ({ id }) => {
        await refresh()
        onClose()
        void navigate({
          to: '/datasets',
          search: { dataset: id, view: copyOf === undefined ? 'documents' : 'questions' },
        })
      },
    }),
  )
  const { byField, rest } = problemsOf(create.error, ['id', 'label', 'description'])
  const description = draft.description.trim()
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate({
          id: draft.id,
          label: draft.label.trim(),
          ...(description === '' ? {} : { description }),
          ...(copyOf === undefined ? {} : { copy_of: copyOf.id }),
        })
      }}
    >
      {copyOf !== undefined && <p>{OWN_WORDS.duplicate.about}</p>}
      <DatasetFields draft={draft} onChange={setDraft} problems={byField} />
      {rest !== null && <p role="alert">▲ {rest}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {WORDS.cancel}
        </Button>
        <Button type="submit" loading={create.isPending} disabled={draft.id === '' || draft.label.trim() === ''}>
          {copyOf === undefined ? WORDS.create : OWN_WORDS.duplicate.create}
        </Button>
      </div>
    </form>
  )
}
