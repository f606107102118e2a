import { Button, NumberInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import { notifyDone } from '../../../components/notify.ts'
import { api } from '../../../data/client.ts'
import { problemsOf } from '../../documents/use-sending.ts'
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
  const number = (value: number | string): number => (value === '' ? Number.NaN : Number(value))
  return (
    <form
      className={styles.chunks}
      aria-label={WORDS.title}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ dataset_id: own.dataset_id, revision: own.revision, chunker })
      }}
    >
      <NumberInput
        size="xs"
        label={WORDS.size(chunker.strategy === 'token')}
        min={1}
        max={8192}
        step={50}
        value={Number.isNaN(chunker.chunk_size) ? '' : chunker.chunk_size}
        error={byField['chunker.chunk_size']}
        onChange={(value) => set({ chunk_size: number(value) })}
      />
      <NumberInput
        size="xs"
        label={WORDS.overlap}
        min={0}
        max={2048}
        step={10}
        value={Number.isNaN(chunker.overlap) ? '' : chunker.overlap}
        error={
          byField['chunker.overlap'] ?? (chunker.overlap >= chunker.chunk_size ? WORDS.overlapTooLarge : undefined)
        }
        onChange={(value) => set({ overlap: number(value) })}
      />
      <Button type="submit" disabled={isSaved || !isChunkerValid(chunker)} loading={save.isPending}>
        {WORDS.save}
      </Button>
      {!isSaved && (
        <Button variant="default" onClick={() => onChange(own.chunker)}>
          {WORDS.reset}
        </Button>
      )}
      <span className="dim" role="status">
        {rest ?? (isSaved ? WORDS.preview : WORDS.unsaved)}
      </span>
    </form>
  )
}
