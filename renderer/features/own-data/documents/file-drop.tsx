import { Button, Progress } from '@mantine/core'
import { useState } from 'react'
import { DOCUMENT_FORMATS } from '../../../../core/document-formats.ts'
import table from '../../../components/table.module.css'
import { DataTable } from '../../../components/tables.tsx'
import { FileDropzone, FilePicker } from '../../../components/file-dropzone.tsx'
import { isRecording } from './dropped-files.ts'
import { OWN_WORDS } from '../own-words.ts'
import { type DroppedFile, useFileDrop } from './use-file-drop.ts'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.documents

const FORMATS = Object.values(DOCUMENT_FORMATS)
  .map(({ label }) => label)
  .join(', ')

/** Rows of a drop that are shown at once. */
const PAGE = 50

/** Takes files and folders into a dataset; each has a row with what became of it and what ingestion will read of it. */
export function FileDrop({ dataset }: { dataset: string }) {
  const { files, hidden, add, clear } = useFileDrop(dataset, useDatasetRefresh())
  return (
    <>
      <FileDropzone
        isMultiple
        about={
          <>
            <p>{WORDS.drop}</p>
            <p className="dim">{WORDS.dropAbout(FORMATS)}</p>
          </>
        }
        choose={WORDS.chooseFiles}
        onFiles={add}
      >
        <FilePicker label={WORDS.chooseFolder} isMultiple isFolder onFiles={add} />
      </FileDropzone>
      {hidden > 0 && <p className="dim">{WORDS.hiddenLeftOut(hidden)}</p>}
      {files.length > 0 && <DroppedFiles files={files} onClear={clear} />}
    </>
  )
}

const STATES: Record<DroppedFile['state'], string> = {
  waiting: WORDS.waiting,
  storing: WORDS.storing,
  stored: WORDS.stored,
  refused: WORDS.refused,
}

function DroppedFiles({ files, onClear }: { files: readonly DroppedFile[]; onClear: () => void }) {
  const [shown, setShown] = useState(PAGE)
  const over = files.filter(({ state }) => state === 'stored' || state === 'refused').length
  const refused = files.filter(({ state }) => state === 'refused')
  // A file that needs a person comes first, so that it is not lost below hundreds of rows.
  const rows = [...refused, ...files.filter(({ state }) => state !== 'refused')].slice(0, shown)
  return (
    <div className="stack">
      <div className="stack tight" role="status">
        <Progress value={(100 * over) / files.length} aria-label={WORDS.meter} />
        <span className="dim">{WORDS.progress(over, files.length, refused.length)}</span>
      </div>
      <DataTable
        label={WORDS.added}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          [WORDS.file, ({ name }) => name, table.wrap],
          [WORDS.state, ({ state }) => STATES[state], 'nowrap'],
          [WORDS.report, (file) => file.problem ?? <Report file={file} />, table.wrap],
        ]}
      />
      <div className="row">
        {files.length > shown && (
          <Button onClick={() => setShown(shown + PAGE)}>{WORDS.showMore(Math.min(PAGE, files.length - shown))}</Button>
        )}
        {over === files.length && <Button onClick={onClear}>{WORDS.clear}</Button>}
      </div>
    </div>
  )
}

function Report({ file: { name, preview, previewProblem, report, state } }: { file: DroppedFile }) {
  if (report !== null)
    return (
      <>
        {WORDS.characters(report.characters, report.pages)}
        {report.warnings.map((warning) => (
          <div key={warning}>{WORDS.warning(warning)}</div>
        ))}
      </>
    )
  if (previewProblem !== null) return WORDS.noPreview(previewProblem)
  if (preview === 'converting') return <span className="dim">{WORDS.converting}</span>
  if (preview === 'waiting') return <span className="dim">{WORDS.waitsForPreview}</span>
  return state === 'stored' ? <span className="dim">{isRecording(name) ? WORDS.asSpeech : WORDS.asText}</span> : null
}
