import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { EXPORT_FORMATS, type ExportFormat, exportRun } from './export-run.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'

/** The dataset run as a file. */
export function ExportMenu({ run, dataset }: { run: string; dataset: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: (format: ExportFormat) => exportRun(format, run, dataset),
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
        {EXPORT_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => mutate(format)}>
            {WORDS.exports[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
