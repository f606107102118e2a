import { NumberInput, Progress, Select } from '@mantine/core'
import { useState } from 'react'
import { OutputFormat, UseOcr } from '../../contract/http/conversion.ts'
import { DOCUMENT_FORMATS } from '../../core/document-formats.ts'
import { FileDropzone } from '../components/file-dropzone.tsx'
import { bytes, count } from '../components/format.ts'
import { EmptyPanel } from '../components/states.tsx'
import { ToolPage } from '../components/tool-page.tsx'
import { useNow } from '../components/use-now.ts'
import type { ConversionChoices } from '../features/documents/convert.ts'
import { ConversionView } from '../features/documents/conversion-view.tsx'
import styles from '../features/documents/documents.module.css'
import { useConversions, type Conversion } from '../features/documents/use-conversions.ts'
import { DOCUMENTS_WORDS } from '../features/documents/documents-words.ts'

const WORDS = DOCUMENTS_WORDS.page

const SIGNS: Record<Conversion['state'], string> = {
  waiting: WORDS.waiting,
  converting: WORDS.converting,
  done: WORDS.converted,
  failed: WORDS.failed,
}

const FORMAT_LABELS = Object.values(DOCUMENT_FORMATS)
  .map(({ label }) => label)
  .join(', ')

/** Drop files; each is converted and shown beside its original. */
export function ConvertPage() {
  const { conversions, add } = useConversions()
  const [choices, setChoices] = useState<ConversionChoices>({ format: 'markdown', useOcr: 'auto', chunkSize: 800 })
  const [chosen, setChosen] = useState<number | null>(null)
  const current = conversions.find(({ id }) => id === chosen) ?? conversions.at(-1)
  return (
    <ToolPage>
      <div className={styles.layout}>
        <div className="stack">
          <FileDropzone
            isMultiple
            about={
              <>
                <p>{WORDS.dropFilesHere}</p>
                <p className="dim">{FORMAT_LABELS}</p>
              </>
            }
            choose={WORDS.chooseFiles}
            onFiles={(files) => add(files, choices)}
          />
          <div className="fields">
            <Select
              label={WORDS.output}
              size="xs"
              data={OutputFormat.options}
              value={choices.format}
              onChange={(format) => setChoices({ ...choices, format: OutputFormat.parse(format) })}
            />
            <Select
              label={WORDS.textRecognition}
              size="xs"
              data={UseOcr.options}
              value={choices.useOcr}
              onChange={(useOcr) => setChoices({ ...choices, useOcr: UseOcr.parse(useOcr) })}
            />
            <NumberInput
              label={WORDS.chunkSizeCharacters}
              size="xs"
              min={50}
              max={8192}
              value={choices.chunkSize}
              onChange={(value) => setChoices({ ...choices, chunkSize: Number(value) || 800 })}
            />
          </div>
          {conversions.length > 1 && <FilesProgress conversions={conversions} />}
          {conversions.length > 0 && (
            <ul className={styles.files} aria-label={WORDS.files}>
              {conversions.map(({ id, file, state, startedAt, seconds }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={id === current?.id ? 'true' : undefined}
                    onClick={() => setChosen(id)}
                  >
                    <span>{file.name}</span>
                    <span className="dim">
                      {SIGNS[state]} · {bytes(file.size)}
                      {seconds !== null && WORDS.s(seconds.toFixed(1))}
                      {state === 'converting' && startedAt !== null && <Running since={startedAt} />}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
        <div aria-live="polite">
          {current === undefined && (
            <EmptyPanel title={WORDS.noDocumentYet}>
              <p>{WORDS.emptyAbout}</p>
            </EmptyPanel>
          )}
          {current?.state === 'failed' && (
            <EmptyPanel title={WORDS.wasNotConverted(current.file.name)}>
              <p>{current.problem}</p>
            </EmptyPanel>
          )}
          {(current?.state === 'waiting' || current?.state === 'converting') && (
            <EmptyPanel title={current.file.name}>
              <p>{current.state === 'waiting' ? WORDS.waits : WORDS.convertingNote}</p>
            </EmptyPanel>
          )}
          {current !== undefined && current.result !== null && (
            <ConversionView key={current.id} conversion={{ ...current, result: current.result }} />
          )}
        </div>
      </div>
    </ToolPage>
  )
}

/** Shows how many of the files are through, whatever became of them. */
function FilesProgress({ conversions }: { conversions: readonly Conversion[] }) {
  const over = conversions.filter(({ state }) => state === 'done' || state === 'failed').length
  const failed = conversions.filter(({ state }) => state === 'failed').length
  return (
    <div className="stack tight" role="status">
      <Progress value={(100 * over) / conversions.length} aria-label={WORDS.convertedFiles} />
      <span className="dim">
        {WORDS.of(count(over), conversions.length)}
        {failed > 0 && WORDS.notConverted(count(failed))}
      </span>
    </div>
  )
}

/** Seconds that a conversion has taken so far. */
function Running({ since }: { since: number }) {
  const now = useNow(true)
  return <>{WORDS.s2(Math.max(0, Math.floor((now - since) / 1000)))}</>
}
