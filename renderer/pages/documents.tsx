import { Button, FileButton, NumberInput, Progress, Select } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useState } from 'react'
import { OutputFormat, UseOcr } from '../../contract/http/conversion.ts'
import { DOCUMENT_FORMATS } from '../../contract/http/document-formats.ts'
import { bytes, count, plural } from '../components/format.ts'
import { EmptyPanel, Page } from '../components/states.tsx'
import { useNow } from '../components/use-now.ts'
import type { ConversionChoices } from '../features/documents/convert.ts'
import { ConversionView } from '../features/documents/conversion-view.tsx'
import styles from '../features/documents/documents.module.css'
import { useConversions, type Conversion } from '../features/documents/use-conversions.ts'

const SIGNS: Record<Conversion['state'], string> = {
  waiting: '○ waiting',
  converting: '◐ converting …',
  done: '● converted',
  failed: '▲ failed',
}

const FORMAT_LABELS = Object.values(DOCUMENT_FORMATS)
  .map(({ label }) => label)
  .join(', ')

/** Drop files; each is converted and shown beside its original. */
export function DocumentsPage() {
  const { conversions, add } = useConversions()
  const [choices, setChoices] = useState<ConversionChoices>({ format: 'markdown', useOcr: 'auto', chunkSize: 800 })
  const [chosen, setChosen] = useState<number | null>(null)
  const drop = (files: File[]): void => add(files, choices)
  const current = conversions.find(({ id }) => id === chosen) ?? conversions.at(-1)
  return (
    <Page title="Documents">
      <div className={styles.layout}>
        <div className={styles.side}>
          <Dropzone
            onDrop={drop}
            activateOnClick={false}
            classNames={{ root: styles.drop! }}
            aria-label="Drop files here"
          >
            <p>Drop files here</p>
            <p className="dim">{FORMAT_LABELS}</p>
            <FileButton onChange={drop} multiple>
              {(props) => (
                <Button {...props} size="compact-sm" variant="default" style={{ pointerEvents: 'all' }}>
                  Choose files
                </Button>
              )}
            </FileButton>
          </Dropzone>
          <div className={styles.choices}>
            <Select
              label="Output"
              size="xs"
              data={OutputFormat.options}
              value={choices.format}
              allowDeselect={false}
              onChange={(format) => setChoices({ ...choices, format: OutputFormat.parse(format) })}
            />
            <Select
              label="Text recognition"
              size="xs"
              data={UseOcr.options}
              value={choices.useOcr}
              allowDeselect={false}
              onChange={(useOcr) => setChoices({ ...choices, useOcr: UseOcr.parse(useOcr) })}
            />
            <NumberInput
              label="Chunk size (characters)"
              size="xs"
              min={50}
              max={8192}
              value={choices.chunkSize}
              onChange={(value) => setChoices({ ...choices, chunkSize: Number(value) || 800 })}
            />
          </div>
          {conversions.length > 1 && <FilesProgress conversions={conversions} />}
          {conversions.length > 0 && (
            <ul className={styles.files} aria-label="Files">
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
                      {seconds !== null && ` · ${seconds.toFixed(1)} s`}
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
            <EmptyPanel title="No document yet">
              <p>
                Each file is converted on this computer and shown beside its original: text, tables and the chunks that
                an approach would retrieve.
              </p>
            </EmptyPanel>
          )}
          {current?.state === 'failed' && (
            <EmptyPanel title={`▲ ${current.file.name} was not converted`}>
              <p>{current.problem}</p>
            </EmptyPanel>
          )}
          {(current?.state === 'waiting' || current?.state === 'converting') && (
            <EmptyPanel title={current.file.name}>
              <p>
                {current.state === 'waiting'
                  ? 'Waits for the file before it.'
                  : 'Is being converted. The converter reports its pages only when it is done; the first conversion starts it.'}
              </p>
            </EmptyPanel>
          )}
          {current !== undefined && current.result !== null && (
            <ConversionView key={current.id} conversion={{ ...current, result: current.result }} />
          )}
        </div>
      </div>
    </Page>
  )
}

/** How many of the files are through, whatever became of them. */
function FilesProgress({ conversions }: { conversions: readonly Conversion[] }) {
  const over = conversions.filter(({ state }) => state === 'done' || state === 'failed').length
  const failed = conversions.filter(({ state }) => state === 'failed').length
  return (
    <div className={styles.progress} role="status">
      <Progress value={(100 * over) / conversions.length} aria-label="Converted files" />
      <span className="dim">
        {count(over)} of {plural(conversions.length, 'file')}
        {failed > 0 && ` · ${count(failed)} not converted`}
      </span>
    </div>
  )
}

/** Seconds that a conversion has taken so far. */
function Running({ since }: { since: number }) {
  const now = useNow(true)
  return <> · {Math.max(0, Math.floor((now - since) / 1000))} s</>
}
