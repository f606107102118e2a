import { Button, TextInput } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { MAX_FILE_BYTES } from '../../../../contract/control/own-datasets.ts'
import { bytes } from '../../../components/format.ts'
import { control } from '../../../data/client.ts'
import { datasetId } from '../../documents/send-names.ts'
import { problemsOf } from '../../documents/use-sending.ts'
import { base64Of } from './dropped-files.ts'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.upload

interface UploadZipProps {
  onClose: () => void
  onShow: (dataset: string) => void
}

/** Takes an exported dataset from this browser's machine: what is in it is shown before anything is stored. */
export function UploadZip({ onClose, onShow }: UploadZipProps) {
  const refresh = useDatasetRefresh()
  const choose = useRef<HTMLInputElement>(null)
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
    onSuccess: async (dataset) => {
      await refresh()
      onShow(dataset.id)
    },
  })
  const take = ([file]: readonly File[]): void => {
    send.reset()
    if (file !== undefined) look.mutate(file)
  }
  const { byField, rest } = problemsOf(send.error, ['id'])
  const refused = look.error === null ? null : Object.values(problemsOf(look.error, ['file']).byField)[0]
  const { zip, preview } = look.data ?? {}
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (zip !== undefined) send.mutate({ ...zip, id })
      }}
    >
      <Dropzone
        onDrop={take}
        multiple={false}
        activateOnClick={false}
        loading={look.isPending}
        classNames={{ root: styles.drop! }}
        inputProps={{ 'aria-hidden': true, tabIndex: -1 }}
      >
        <p>{WORDS.drop}</p>
        <p className="dim">{WORDS.limit(bytes(MAX_FILE_BYTES))}</p>
        <Button variant="default" onClick={() => choose.current?.click()}>
          {WORDS.choose}
        </Button>
        <input
          ref={choose}
          type="file"
          hidden
          accept=".zip,application/zip"
          aria-label={WORDS.choose}
          onChange={({ currentTarget }) => {
            take([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
      </Dropzone>
      {look.isError && <p role="alert">▲ {refused ?? problemsOf(look.error, []).rest}</p>}
      {preview !== undefined && zip !== undefined && (
        <>
          <section className={styles.form} aria-label={WORDS.preview}>
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
      {rest !== null && <p role="alert">▲ {rest}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {OWN_WORDS.newDataset.cancel}
        </Button>
        <Button type="submit" loading={send.isPending} disabled={preview === undefined || id === ''}>
          {OWN_WORDS.transfer.start}
        </Button>
      </div>
    </form>
  )
}
