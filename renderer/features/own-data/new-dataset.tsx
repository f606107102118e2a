import type { ButtonProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DialogButton, DialogForm } from '../../components/dialog-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import { datasetId } from '../documents/send-names.ts'
import { DatasetFields, EMPTY_DATASET } from './dataset-fields.tsx'
import { OWN_WORDS } from './own-words.ts'
import { DATASET_QUERIES } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.newDataset

interface NewDatasetProps {
  /** A dataset to copy; empty without. */
  copyOf?: { id: string; label: string }
  label: string
  variant?: ButtonProps['variant']
}

/** Makes an empty dataset or a copy of one, and opens it. */
export function NewDatasetButton({ copyOf, label, variant = 'default' }: NewDatasetProps) {
  return (
    <DialogButton
      label={label}
      title={copyOf === undefined ? WORDS.title : OWN_WORDS.duplicate.title(copyOf.label)}
      variant={variant}
      leftSection={copyOf === undefined ? <Icon name="plus" /> : null}
    >
      {(close) => <NewDatasetForm copyOf={copyOf} onClose={close} />}
    </DialogButton>
  )
}

function NewDatasetForm({ copyOf, onClose }: { copyOf: NewDatasetProps['copyOf']; onClose: () => void }) {
  const navigate = useNavigate()
  const copied = copyOf === undefined ? '' : OWN_WORDS.duplicate.copyOf(copyOf.label)
  const [draft, setDraft] = useState({ ...EMPTY_DATASET, label: copied, id: datasetId(copied) })
  const create = useMutation(
    api.datasets.create.mutationOptions({
      meta: { refreshes: DATASET_QUERIES },
      onSuccess: ({ id }) => {
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
    <DialogForm
      submit={copyOf === undefined ? WORDS.create : OWN_WORDS.duplicate.create}
      isReady={draft.id !== '' && draft.label.trim() !== ''}
      isPending={create.isPending}
      problem={rest}
      onCancel={onClose}
      onSubmit={() =>
        create.mutate({
          id: draft.id,
          label: draft.label.trim(),
          ...(description === '' ? {} : { description }),
          ...(copyOf === undefined ? {} : { copy_of: copyOf.id }),
        })
      }
    >
      {copyOf !== undefined && <p>{OWN_WORDS.duplicate.about}</p>}
      <DatasetFields draft={draft} onChange={setDraft} problems={byField} />
    </DialogForm>
  )
}
