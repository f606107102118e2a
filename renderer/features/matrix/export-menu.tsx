import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { saveFile } from '../../components/save-file.ts'
import { control } from '../../data/client.ts'

const FORMATS = { csv: 'CSV, one line per cell and metric', json: 'JSON, aggregates', report: 'HTML report' } as const
type Format = keyof typeof FORMATS

/** Puts a file together from its pieces and offers it for download; fails when the end is missing. */
async function download(format: Format, run: string, dataset: string): Promise<string> {
  const pieces: string[] = []
  let name = ''
  let type = ''
  let whole = false
  for await (const chunk of await control.exports[format]({ run_id: run, dataset_id: dataset })) {
    if (chunk.type === 'begin') [name, type] = [chunk.file_name, chunk.media_type]
    else if (chunk.type === 'text') pieces.push(chunk.text)
    else whole = true
  }
  if (!whole) throw new Error('the file ended before it was whole')
  saveFile(name, pieces, type)
  return name
}

/** The dataset run as a file. */
export function ExportMenu({ run, dataset }: { run: string; dataset: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: (format: Format) => download(format, run, dataset),
    onSuccess: (name) => notifyDone(`Saved ${name}`),
    onError: (error) => notifyFailure('The export', error),
  })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(FORMATS) as Format[]).map((format) => (
          <Menu.Item key={format} onClick={() => mutate(format)}>
            {FORMATS[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
