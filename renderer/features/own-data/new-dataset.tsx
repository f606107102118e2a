import { type ButtonProps, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DialogButton, DialogForm } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import { datasetId } from './dataset-id.ts'
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
  const [draft, setDraft] = useState({ label: copied, id: datasetId(copied), description: '' })
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
  const field = formFields({
    words: WORDS,
    draft,
    problems: byField,
    onChange: (part) => setDraft({ ...draft, ...part }),
  })
  // The id follows the name until it is edited.
  const follows = draft.id === datasetId(draft.label)
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
      <TextInput
        {...field.text('label')}
        data-autofocus
        maxLength={120}
        onChange={({ currentTarget: { value } }) =>
          setDraft({ ...draft, label: value, ...(follows ? { id: datasetId(value) } : {}) })
        }
      />
      <TextInput {...field.text('id')} maxLength={63} />
      <Textarea {...field.text('description')} autosize maxRows={4} maxLength={1000} />
    </DialogForm>
  )
}
