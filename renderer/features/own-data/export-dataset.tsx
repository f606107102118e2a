import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { saveFile } from '../../components/save-file.ts'
import { control } from '../../data/client.ts'
import { OWN_WORDS } from './own-words.ts'
import { receivedFile } from './received-file.ts'

const WORDS = OWN_WORDS.transfer

/** An own dataset as one file, which another installation imports. */
export function ExportDatasetButton({ dataset }: { dataset: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const { name, parts } = await receivedFile(await control.datasets.exportZip({ dataset_id: dataset }))
      saveFile(name, parts, 'application/zip')
      return name
    },
    onSuccess: (name) => notifyDone(WORDS.saved(name)),
    onError: (error) => notifyFailure(WORDS.exporting, error),
  })
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      {WORDS.export}
    </Button>
  )
}
