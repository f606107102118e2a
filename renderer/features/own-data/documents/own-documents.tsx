import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import { notifyUndo } from '../../../components/notify-undo.tsx'
import { Loaded } from '../../../components/states.tsx'
import { RowButton } from '../../../components/row-button.tsx'
import { api } from '../../../data/client.ts'
import { DocumentBrowser } from '../../datasets/document-browser.tsx'
import { ChunkSettings, isChunkerValid } from './chunk-settings.tsx'
import { FileDrop } from './file-drop.tsx'
import { OWN_WORDS } from '../own-words.ts'
import { DATASET_QUERIES, useOwnDataset } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.documents

/** Documents of a dataset that can be edited: add, remove, and see where they are cut. */
export function OwnDocuments({ dataset, path }: { dataset: string; path: string | undefined }) {
  const own = useOwnDataset(dataset)
  return (
    <>
      <FileDrop dataset={dataset} />
      <Loaded query={own} what={WORDS.theList} rows={8}>
        {(data) => <Documents own={data} path={path} />}
      </Loaded>
    </>
  )
}

function Documents({ own, path }: { own: OwnDataset; path: string | undefined }) {
  const [typed, setTyped] = useState<OwnDataset['chunker'] | null>(null)
  const chunker = typed ?? own.chunker
  // Each cut is asked of the platform: not one for each key.
  const [settled] = useDebouncedValue(chunker, 400)
  if (own.documents === 0) return <p className="dim">{WORDS.emptyAbout}</p>
  return (
    <>
      <ChunkSettings own={own} chunker={chunker} onChange={setTyped} />
      <DocumentBrowser
        dataset={own.dataset_id}
        path={path}
        chunker={isChunkerValid(settled) ? settled : own.chunker}
        action={(each) => <RemoveDocument dataset={own.dataset_id} path={each} />}
      />
    </>
  )
}

/** Moves a document to the dataset's trash at once, with a way back. */
function RemoveDocument({ dataset, path }: { dataset: string; path: string }) {
  const restore = useMutation(
    api.datasets.restoreDocument.mutationOptions({ meta: { refreshes: DATASET_QUERIES, failed: WORDS.restoring } }),
  )
  const remove = useMutation(
    api.datasets.removeDocument.mutationOptions({
      meta: { refreshes: DATASET_QUERIES, failed: WORDS.removing },
      onSuccess: () =>
        notifyUndo(WORDS.removed(path), OWN_WORDS.undo, () => restore.mutate({ dataset_id: dataset, path })),
    }),
  )
  return (
    <RowButton
      size="compact-xs"
      label={WORDS.remove}
      of={path}
      loading={remove.isPending}
      onClick={() => remove.mutate({ dataset_id: dataset, path })}
    />
  )
}
