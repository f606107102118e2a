import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { saveFile } from '../../components/save-file.ts'
import { control } from '../../data/client.ts'
import { receivedFile } from '../own-data/documents/received-file.ts'
import { EXPORT_FORMATS, exportRun } from './export-run.ts'
import { RUN_WORDS as WORDS } from './run-words.ts'
import { type PictureFormat, VerdictPicture } from './verdict-picture.tsx'

const PICTURE_FORMATS: readonly PictureFormat[] = ['PNG', 'SVG']

async function saveBundle(run: string): Promise<string> {
  const { name, parts } = await receivedFile(await control.exports.bundle({ run_id: run }))
  saveFile(name, parts, 'application/zip')
  return name
}

interface ShareMenuProps {
  run: string
  /** Dataset that a file is of. */
  dataset: string
  /** The run as it is listed; undefined while that is loaded. */
  listed: ListedRun | undefined
}

/** Saves the run as a file for others: its report, its tables, or all of it. */
export function ShareMenu({ run, dataset, listed }: ShareMenuProps) {
  const { mutate, isPending } = useMutation({
    mutationFn: (save: () => Promise<string>) => save(),
    onSuccess: (name) => notifyDone(WORDS.saved(name)),
    meta: { failed: WORDS.theExport },
  })
  const [picture, setPicture] = useState<PictureFormat | null>(null)
  return (
    <>
      {picture !== null && (
        <VerdictPicture
          {...{ run, dataset }}
          label={listed?.note.label}
          format={picture}
          onEnd={(outcome) => {
            setPicture(null)
            if ('file' in outcome) notifyDone(WORDS.saved(outcome.file))
            else notifyFailure(WORDS.picture.saving, outcome.error)
          }}
        />
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button loading={isPending || picture !== null}>{WORDS.share}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {PICTURE_FORMATS.map((format) => (
            <Menu.Item key={format} onClick={() => setPicture(format)}>
              {WORDS.picture.item(format)}
            </Menu.Item>
          ))}
          {EXPORT_FORMATS.map((format) => (
            <Menu.Item key={format} onClick={() => mutate(() => exportRun(format, run, dataset))}>
              {WORDS.exports[format]}
            </Menu.Item>
          ))}
          {listed?.kind === 'canonical' && listed.kept === null && (
            <Menu.Item onClick={() => mutate(() => saveBundle(run))}>{WORDS.bundle}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
