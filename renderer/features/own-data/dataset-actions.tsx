import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { ConfirmButton } from '../../components/confirm-dialog.tsx'
import { notifyDone } from '../../components/notify.ts'
import { notifyUndo } from '../../components/notify-undo.tsx'
import { api, control } from '../../data/client.ts'
import { NewDatasetButton } from './new-dataset.tsx'
import { OWN_WORDS } from './own-words.ts'
import { useRestoreDataset } from './trash-list.tsx'
import { useDatasetRefresh } from './use-own-dataset.ts'
import { saveFile } from '../../components/save-file.ts'
import { receivedFile } from './documents/received-file.ts'

const TRANSFER_WORDS = OWN_WORDS.transfer

/** An own dataset as one file, which another installation imports. */
function ExportDatasetButton({ dataset }: { dataset: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const { name, parts } = await receivedFile(await control.datasets.exportZip({ dataset_id: dataset }))
      saveFile(name, parts, 'application/zip')
      return name
    },
    onSuccess: (name) => notifyDone(TRANSFER_WORDS.saved(name)),
    meta: { failed: TRANSFER_WORDS.exporting },
  })
  return (
    <Button loading={isPending} onClick={() => mutate()}>
      {TRANSFER_WORDS.export}
    </Button>
  )
}

const WORDS = OWN_WORDS.actions

/** Shows what can be done with a dataset as a whole; one of the project can only be run and copied. */
export function DatasetActions({ dataset }: { dataset: DatasetView }) {
  const { id, label, own, questions } = dataset
  const navigate = useNavigate()
  return (
    <div className="row apart">
      {!own && <p>{OWN_WORDS.projectNote}</p>}
      <div className="row">
        {questions > 0 && (
          <Button
            variant={own ? 'filled' : 'default'}
            onClick={() => void navigate({ to: '/launch', search: { datasets: [id] } })}
          >
            {WORDS.run}
          </Button>
        )}
        <NewDatasetButton copyOf={{ id, label }} label={own ? OWN_WORDS.duplicate.open : OWN_WORDS.duplicate.edit} />
        {own && <ExportDatasetButton dataset={id} />}
        {own && <RemoveDataset dataset={dataset} />}
      </div>
    </div>
  )
}

function RemoveDataset({ dataset: { id, label, questions } }: { dataset: DatasetView }) {
  const navigate = useNavigate()
  const refresh = useDatasetRefresh()
  const restore = useRestoreDataset()
  const documents = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: id, limit: 1 } })).data?.total
  const remove = useMutation(
    api.datasets.remove.mutationOptions({
      meta: { failed: WORDS.removing },
      // The page of what is gone is left before anything is read again.
      onSuccess: async ({ trash_id }) => {
        notifyUndo(WORDS.removed(label), OWN_WORDS.undo, () => restore.mutate({ trash_id }))
        void navigate({ to: '/datasets', search: {} })
        await refresh()
      },
    }),
  )
  return (
    <ConfirmButton
      label={WORDS.remove}
      title={WORDS.question(label)}
      confirm={WORDS.confirm}
      keep={WORDS.keep}
      loading={remove.isPending}
      onConfirm={() => remove.mutate({ dataset_id: id })}
    >
      <p>{WORDS.consequence(documents ?? 0, questions)}</p>
    </ConfirmButton>
  )
}
