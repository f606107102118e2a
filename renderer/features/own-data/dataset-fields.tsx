import { Textarea, TextInput } from '@mantine/core'
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
  const set = (part: Partial<DatasetDraft>): void => onChange({ ...draft, ...part })
  const follows = draft.id === datasetId(draft.label)
  return (
    <>
      <TextInput
        label={WORDS.label}
        data-autofocus
        placeholder={WORDS.harbourPapers}
        maxLength={120}
        value={draft.label}
        error={problems['label']}
        onChange={({ currentTarget: { value } }) => set({ label: value, ...(follows ? { id: datasetId(value) } : {}) })}
      />
      <TextInput
        label={WORDS.id}
        description={WORDS.idAbout}
        maxLength={63}
        value={draft.id}
        error={problems['id']}
        onChange={({ currentTarget: { value } }) => set({ id: value })}
      />
      <Textarea
        label={WORDS.description}
        description={WORDS.descriptionAbout}
        autosize
        maxRows={4}
        maxLength={1000}
        value={draft.description}
        error={problems['description']}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
      />
    </>
  )
}
