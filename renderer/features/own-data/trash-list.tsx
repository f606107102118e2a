import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { moment } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { OWN_WORDS } from './own-words.ts'
import { useDatasetRefresh } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.trash

/** Brings a removed dataset back and opens it. */
export function useRestoreDataset() {
  const navigate = useNavigate()
  const refresh = useDatasetRefresh()
  return useMutation(
    api.datasets.restore.mutationOptions({
      onSuccess: async ({ id }) => {
        await refresh()
        void navigate({ to: '/datasets', search: { dataset: id } })
      },
      onError: (error) => notifyFailure(OWN_WORDS.actions.restoring, error),
    }),
  )
}

/** Removed datasets, each with its way back; nothing while there is none. */
export function TrashList() {
  const { data = [] } = useQuery(api.datasets.trash.queryOptions())
  const restore = useRestoreDataset()
  if (data.length === 0) return null
  return (
    <Panel title={WORDS.title}>
      <div className={table.scroll}>
        <table className={table.table} aria-label={WORDS.title}>
          <thead>
            <tr>
              <th scope="col">{WORDS.dataset}</th>
              <th scope="col">{WORDS.removedAt}</th>
              <th scope="col">
                <span className="hidden-text">{WORDS.restore}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ trash_id: id, label, removed_at: removedAt }) => (
              <tr key={id}>
                <th scope="row">{label}</th>
                <td>{moment(removedAt)}</td>
                <td>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={WORDS.restoreOf(label)}
                    onClick={() => restore.mutate({ trash_id: id })}
                  >
                    {WORDS.restore}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
