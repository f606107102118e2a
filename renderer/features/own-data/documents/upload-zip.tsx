import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_FILE_BYTES } from '../../../../contract/control/own-datasets.ts'
import { DialogForm, ProblemLine } from '../../../components/dialog-form.tsx'
import { FileDropzone } from '../../../components/file-dropzone.tsx'
import { bytes } from '../../../components/format.ts'
import { control } from '../../../data/client.ts'
import { datasetId } from '../dataset-id.ts'
import { problemsOf } from '../../../data/refused.ts'
import { base64Of } from './dropped-files.ts'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { DATASET_QUERIES } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.upload

interface UploadZipProps {
  onClose: () => void
  onShow: (dataset: string) => void
}

/** Takes an exported dataset from this browser's machine: what is in it is shown before anything is stored. */
export function UploadZip({ onClose, onShow }: UploadZipProps) {
  const [id, setId] = useState('')
  const look = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > MAX_FILE_BYTES) throw new Error(WORDS.tooLarge(bytes(file.size)))
      const zip = { file_name: file.name, base64: await base64Of(file) }
      return { zip, preview: await control.datasets.previewZip(zip) }
    },
    onSuccess: ({ zip }) => setId(datasetId(zip.file_name.replace(/\.zip$/i, ''))),
  })
  const send = useMutation({
    mutationFn: (input: { file_name: string; base64: string; id: string }) => control.datasets.uploadZip(input),
    meta: { refreshes: DATASET_QUERIES },
    onSuccess: ({ id: stored }) => onShow(stored),
  })
  const take = ([file]: readonly File[]): void => {
    send.reset()
    if (file !== undefined) look.mutate(file)
  }
  const { byField, rest } = problemsOf(send.error, ['id'])
  const refused = look.error === null ? null : Object.values(problemsOf(look.error, ['file']).byField)[0]
  const { zip, preview } = look.data ?? {}
  return (
    <DialogForm
      submit={OWN_WORDS.transfer.start}
      isReady={preview !== undefined && id !== ''}
      isPending={send.isPending}
      problem={rest}
      onCancel={onClose}
      onSubmit={() => zip !== undefined && send.mutate({ ...zip, id })}
    >
      <FileDropzone
        isBusy={look.isPending}
        about={
          <>
            <p>{WORDS.drop}</p>
            <p className="dim">{WORDS.limit(bytes(MAX_FILE_BYTES))}</p>
          </>
        }
        choose={WORDS.choose}
        accept=".zip,application/zip"
        onFiles={take}
      />
      <ProblemLine problem={look.error === null ? null : (refused ?? problemsOf(look.error, []).rest)} />
      {preview !== undefined && zip !== undefined && (
        <>
          <section className="stack" aria-label={WORDS.preview}>
            <p role="status">
              <strong>{preview.label}</strong>
              {preview.description !== '' && ` · ${preview.description}`}
            </p>
            <p>
              {WORDS.holds(preview.questions, preview.with_gold, preview.documents, bytes(preview.size_bytes))}
              {preview.licence !== null && ` ${OWN_WORDS.transfer.licence(preview.licence)}`}
            </p>
            <div className={styles.names} tabIndex={0} role="region" aria-label={WORDS.names}>
              <ul>
                {preview.names.map((name) => (
                  <li key={name}>{name}</li>
                ))}
                {preview.documents > preview.names.length && (
                  <li className="dim">{WORDS.more(preview.documents - preview.names.length)}</li>
                )}
              </ul>
            </div>
          </section>
          <TextInput
            label={OWN_WORDS.newDataset.id}
            description={OWN_WORDS.newDataset.idAbout}
            maxLength={63}
            value={id}
            error={byField['id']}
            onChange={({ currentTarget: { value } }) => {
              setId(value)
              send.reset()
            }}
          />
        </>
      )}
    </DialogForm>
  )
}
