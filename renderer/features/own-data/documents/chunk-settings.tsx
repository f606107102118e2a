import { Button, NumberInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import { Form } from '../../../components/dialog-form.tsx'
import { formFields } from '../../../components/form-fields.ts'
import { notifyDone } from '../../../components/notify.ts'
import { api } from '../../../data/client.ts'
import { problemsOf } from '../../../data/refused.ts'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.chunks

export type Chunker = OwnDataset['chunker']

export const isChunkerValid = ({ chunk_size: size, overlap }: Chunker): boolean =>
  Number.isInteger(size) && size >= 1 && Number.isInteger(overlap) && overlap >= 0 && overlap < size

const isSameChunker = (a: Chunker, b: Chunker): boolean =>
  a.chunk_size === b.chunk_size && a.overlap === b.overlap && a.strategy === b.strategy

interface ChunkSettingsProps {
  own: OwnDataset
  /** As typed; the page previews it before it is saved. */
  chunker: Chunker
  onChange: (chunker: Chunker) => void
}

/** Shows how a dataset's documents are cut. */
export function ChunkSettings({ own, chunker, onChange }: ChunkSettingsProps) {
  const refresh = useDatasetRefresh()
  const save = useMutation(
    api.datasets.update.mutationOptions({
      onSuccess: async (written) => {
        await refresh(written)
        notifyDone(WORDS.saved)
      },
    }),
  )
  const isSaved = isSameChunker(chunker, own.chunker)
  const { rest, byField } = problemsOf(save.error, ['chunker.chunk_size', 'chunker.overlap'])
  const set = (part: Partial<Chunker>): void => onChange({ ...chunker, ...part })
  const problem = chunker.overlap >= chunker.chunk_size ? WORDS.overlapTooLarge : undefined
  const field = formFields({
    words: { chunk_size: WORDS.size(chunker.strategy === 'token'), overlap: WORDS.overlap },
    draft: chunker,
    onChange: set,
    problems: { chunk_size: byField['chunker.chunk_size'], overlap: byField['chunker.overlap'] ?? problem },
  })
  /** A field that is empty while a number is typed. */
  const number = (name: 'chunk_size' | 'overlap') => ({
    size: 'xs',
    ...field.number(name),
    value: Number.isNaN(chunker[name]) ? '' : chunker[name],
    onChange: (value: number | string) => set({ [name]: value === '' ? Number.NaN : Number(value) }),
  })
  return (
    <Form
      className={styles.chunks}
      label={WORDS.title}
      onSubmit={() => save.mutate({ dataset_id: own.dataset_id, revision: own.revision, chunker })}
    >
      <NumberInput {...number('chunk_size')} min={1} max={8192} step={50} />
      <NumberInput {...number('overlap')} min={0} max={2048} step={10} />
      <Button variant="filled" type="submit" disabled={isSaved || !isChunkerValid(chunker)} loading={save.isPending}>
        {WORDS.save}
      </Button>
      {!isSaved && <Button onClick={() => onChange(own.chunker)}>{WORDS.reset}</Button>}
      <span className="dim" role="status">
        {rest ?? (isSaved ? WORDS.preview : WORDS.unsaved)}
      </span>
    </Form>
  )
}
