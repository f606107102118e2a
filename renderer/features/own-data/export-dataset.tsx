import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { saveFile } from '../../components/save-file.ts'
import { control } from '../../data/client.ts'
import { OWN_WORDS } from './own-words.ts'

const WORDS = OWN_WORDS.transfer

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Joins the pieces of the zip file and offers it for saving; fails when the end is missing. */
async function download(dataset: string): Promise<string> {
  const pieces: BlobPart[] = []
  let name = ''
  let isComplete = false
  for await (const piece of await control.datasets.exportZip({ dataset_id: dataset })) {
    if (piece.type === 'begin') name = piece.file_name
    else if (piece.type === 'bytes') pieces.push(bytesOf(piece.base64))
    else isComplete = true
  }
  if (!isComplete) throw new Error(WORDS.incomplete)
  saveFile(name, pieces, 'application/zip')
  return name
}

/** An own dataset as one file, which another installation imports. */
export function ExportDatasetButton({ dataset }: { dataset: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => download(dataset),
    onSuccess: (name) => notifyDone(WORDS.saved(name)),
    onError: (error) => notifyFailure(WORDS.exporting, error),
  })
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      {WORDS.export}
    </Button>
  )
}
