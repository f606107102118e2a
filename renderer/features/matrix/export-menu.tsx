import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { saveFile } from '../../components/save-file.ts'
import { control } from '../../data/client.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'

type Format = keyof typeof WORDS.exports

/** Joins the pieces of a file and offers it for download; fails when the end is missing. */
async function download(format: Format, run: string, dataset: string): Promise<string> {
  const pieces: string[] = []
  let name = ''
  let type = ''
  let isComplete = false
  for await (const chunk of await control.exports[format]({ run_id: run, dataset_id: dataset })) {
    if (chunk.type === 'begin') [name, type] = [chunk.file_name, chunk.media_type]
    else if (chunk.type === 'text') pieces.push(chunk.text)
    else isComplete = true
  }
  if (!isComplete) throw new Error(WORDS.incomplete)
  saveFile(name, pieces, type)
  return name
}

/** The dataset run as a file. */
export function ExportMenu({ run, dataset }: { run: string; dataset: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: (format: Format) => download(format, run, dataset),
    onSuccess: (name) => notifyDone(WORDS.saved(name)),
    onError: (error) => notifyFailure(WORDS.theExport, error),
  })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isPending}>
          {WORDS.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(WORDS.exports) as Format[]).map((format) => (
          <Menu.Item key={format} onClick={() => mutate(format)}>
            {WORDS.exports[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
