import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { TrashTable } from '../../components/trash-table.tsx'
import { api } from '../../data/client.ts'
import { OWN_WORDS } from './own-words.ts'
import { DATASET_QUERIES } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.trash

/** Brings a removed dataset back and opens it. */
export function useRestoreDataset() {
  const navigate = useNavigate()
  return useMutation(
    api.datasets.restore.mutationOptions({
      meta: { refreshes: DATASET_QUERIES, failed: OWN_WORDS.actions.restoring },
      onSuccess: ({ id }) => void navigate({ to: '/datasets', search: { dataset: id } }),
    }),
  )
}

export function TrashList() {
  const { data = [] } = useQuery(api.datasets.trash.queryOptions())
  const restore = useRestoreDataset()
  return (
    <TrashTable
      title={WORDS.title}
      columns={{ name: WORDS.dataset, removedAt: WORDS.removedAt }}
      items={data.map(({ trash_id: trashId, label: name, removed_at: removedAt }) => ({ trashId, name, removedAt }))}
      restore={WORDS.restore}
      restoreOf={WORDS.restoreOf}
      onRestore={(id) => restore.mutate({ trash_id: id })}
    />
  )
}
