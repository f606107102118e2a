import { TextInput, Textarea } from '@mantine/core'
import { datasetId } from './send-names.ts'
import { DOCUMENTS_WORDS } from './documents-words.ts'

const WORDS = DOCUMENTS_WORDS.newDatasetFields

export interface DatasetDraft {
  label: string
  id: string
  query: string
  answer: string
}

export const EMPTY_DATASET: DatasetDraft = { label: '', id: '', query: '', answer: '' }

interface NewDatasetFieldsProps {
  draft: DatasetDraft
  onChange: (draft: DatasetDraft) => void
  /** By the engine's names of the fields. */
  problems: Record<string, string>
}

/** What a dataset cannot be without: its names and a first question. The id follows the label until it is edited. */
export function NewDatasetFields({ draft, onChange, problems }: NewDatasetFieldsProps) {
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
      <TextInput
        label={WORDS.firstQuestion}
        description={WORDS.questionAbout}
        value={draft.query}
        error={problems['question.query']}
        onChange={({ currentTarget: { value } }) => set({ query: value })}
      />
      <Textarea
        label={WORDS.rightAnswer}
        description={WORDS.answerAbout}
        autosize
        maxRows={6}
        value={draft.answer}
        error={problems['question.ground_truth']}
        onChange={({ currentTarget: { value } }) => set({ answer: value })}
      />
    </>
  )
}
