import { Button } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { type ReactNode, useRef } from 'react'
import styles from './file-dropzone.module.css'

interface FilePickerProps {
  label: string
  accept?: string | undefined
  isMultiple?: boolean
  /** Whole folders are chosen. */
  isFolder?: boolean
  onFiles: (files: File[]) => void
}

/** A button that chooses files; the same file can be chosen again. */
export function FilePicker({ label, accept, isMultiple = false, isFolder = false, onFiles }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button onClick={() => input.current?.click()}>{label}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={isMultiple}
        aria-label={label}
        {...(isFolder ? { webkitdirectory: '' } : {})}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
    </>
  )
}

interface FileDropzoneProps {
  about: ReactNode
  /** Label of the button that chooses what could be dropped. */
  choose: string
  accept?: string
  isMultiple?: boolean
  isBusy?: boolean
  onFiles: (files: File[]) => void
  /** Further buttons. */
  children?: ReactNode
}

/** A place where files are dropped, or chosen by its button. */
export function FileDropzone({
  about,
  choose,
  accept,
  isMultiple = false,
  isBusy,
  onFiles,
  children,
}: FileDropzoneProps) {
  return (
    <Dropzone
      onDrop={onFiles}
      multiple={isMultiple}
      activateOnClick={false}
      loading={isBusy}
      classNames={{ root: styles.drop!, inner: styles.inner! }}
      // Chooses files as its button does; a second one of the same name would be read twice.
      inputProps={{ 'aria-hidden': true, tabIndex: -1 }}
    >
      {about}
      <div className={styles.buttons}>
        <FilePicker label={choose} accept={accept} isMultiple={isMultiple} onFiles={onFiles} />
        {children}
      </div>
    </Dropzone>
  )
}
