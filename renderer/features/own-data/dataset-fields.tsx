import { Textarea, TextInput } from '@mantine/core'
import { formFields } from '../../components/form-fields.ts'
import { datasetId } from '../documents/send-names.ts'
import { OWN_WORDS } from './own-words.ts'

const WORDS = OWN_WORDS.newDataset

export interface DatasetDraft {
  label: string
  id: string
  description: string
}

export const EMPTY_DATASET: DatasetDraft = { label: '', id: '', description: '' }

interface DatasetFieldsProps {
  draft: DatasetDraft
  onChange: (draft: DatasetDraft) => void
  /** By the engine's names of the fields. */
  problems: Record<string, string>
}

/** Names of a new dataset. The id follows the name until it is edited. */
export function DatasetFields({ draft, onChange, problems }: DatasetFieldsProps) {
  const follows = draft.id === datasetId(draft.label)
  const field = formFields({ words: WORDS, draft, problems, onChange: (part) => onChange({ ...draft, ...part }) })
  return (
    <>
      <TextInput
        {...field.text('label')}
        data-autofocus
        maxLength={120}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...draft, label: value, ...(follows ? { id: datasetId(value) } : {}) })
        }
      />
      <TextInput {...field.text('id')} maxLength={63} />
      <Textarea {...field.text('description')} autosize maxRows={4} maxLength={1000} />
    </>
  )
}
