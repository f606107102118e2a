import { Button, NumberInput, SegmentedControl, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ImportStep } from '../../../contract/control/dataset-transfer.ts'
import { api, control } from '../../data/client.ts'
import { datasetId } from './dataset-id.ts'
import { DialogButton, DialogForm } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { problemsOf } from '../../data/refused.ts'
import { bytesWords } from '../../../contract/words.ts'
import { OWN_WORDS } from './own-words.ts'
import { UploadZip } from './documents/upload-zip.tsx'
import { DATASET_QUERIES } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.transfer

type Numbers = Record<'questions' | 'documents' | 'seed', number | null>
type Draft = Record<'source' | 'id' | 'format' | 'split', string> & Numbers

const EMPTY: Draft = { source: '', id: '', format: '', questions: null, documents: null, split: '', seed: null }

/** The name of a path without its ending, as an id. */
const idOfPath = (path: string): string =>
  datasetId(
    path
      .replace(/[\\/]+$/, '')
      .replace(/^.*[\\/]/, '')
      .replace(/\.[^.]*$/, ''),
  )

/** Imports a public dataset or an exported zip file from a path of the engine's machine, or a zip file of the browser's. */
export const ImportDatasetButton = () => (
  <DialogButton label={WORDS.open} title={WORDS.title}>
    {(close) => <ImportFrom onClose={close} />}
  </DialogButton>
)

function ImportFrom({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [from, setFrom] = useState<'path' | 'file'>('path')
  const show = (dataset: string): void => {
    onClose()
    void navigate({ to: '/datasets', search: { dataset, view: 'questions' } })
  }
  return (
    <div className="stack">
      <SegmentedControl
        aria-label={OWN_WORDS.upload.from}
        data={[
          { value: 'path' as const, label: OWN_WORDS.upload.path },
          { value: 'file' as const, label: OWN_WORDS.upload.file },
        ]}
        value={from}
        onChange={setFrom}
      />
      {from === 'path' ? <ImportForm onClose={onClose} onShow={show} /> : <UploadZip onClose={onClose} onShow={show} />}
    </div>
  )
}

function ImportForm({ onClose, onShow }: { onClose: () => void; onShow: (dataset: string) => void }) {
  const { data: formats = [] } = useQuery(api.datasets.importFormats.queryOptions())
  const [draft, setDraft] = useState(EMPTY)
  const [step, setStep] = useState<ImportStep | null>(null)
  const stop = useRef<AbortController | null>(null)
  // Closing the dialog stops the import, of which nothing is left then.
  useEffect(() => () => stop.current?.abort(), [])
  const run = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController()
      setStep(null)
      const { signal } = stop.current
      for await (const next of await control.datasets.importFolder(inputOf(draft), { signal })) setStep(next)
    },
    meta: { refreshes: DATASET_QUERIES },
  })
  const set = (part: Partial<Draft>): void => {
    setDraft({ ...draft, ...part })
    // The refusal is no longer of what the fields hold.
    if (run.isError) run.reset()
  }
  const { byField, rest } = problemsOf(run.error, ['source', 'id'])
  const field = formFields({
    words: { ...WORDS, id: OWN_WORDS.newDataset.id },
    draft,
    onChange: set,
    problems: byField,
  })
  const chosen = formats.find(({ id }) => id === draft.format)
  if (run.isSuccess && step?.type === 'done')
    return <ImportDone step={step} onClose={onClose} onShow={() => onShow(step.id)} />
  return (
    <DialogForm
      submit={WORDS.start}
      cancel={run.isPending ? WORDS.stop : undefined}
      isReady={draft.source.trim() !== '' && draft.id !== ''}
      isPending={run.isPending}
      problem={rest}
      onCancel={() => (run.isPending ? stop.current?.abort() : onClose())}
      onSubmit={() => run.mutate()}
    >
      <p>{WORDS.about}</p>
      <TextInput
        {...field.text('source')}
        data-autofocus
        onChange={({ currentTarget: { value } }) =>
          set({ source: value, ...(draft.id === idOfPath(draft.source) ? { id: idOfPath(value) } : {}) })
        }
      />
      <TextInput {...field.text('id')} description={OWN_WORDS.newDataset.idAbout} maxLength={63} />
      <Select
        {...field.choice('format')}
        description={chosen === undefined ? undefined : WORDS.expects(chosen.expects, chosen.licence)}
        data={[{ value: '', label: WORDS.byContent }, ...formats.map(({ id, label }) => ({ value: id, label }))]}
      />
      <div className="row">
        <NumberInput {...field.number('questions')} min={1} allowDecimal={false} />
        <NumberInput {...field.number('documents')} min={1} allowDecimal={false} />
        <NumberInput {...field.number('seed')} min={0} allowDecimal={false} placeholder="0" />
        <TextInput {...field.text('split')} />
      </div>
      {run.isPending && <p role="status">◐ {progressWords(step)}</p>}
    </DialogForm>
  )
}

function inputOf({ source, id, format, questions, documents, split, seed }: Draft) {
  return {
    source: source.trim(),
    id,
    ...(format === '' ? {} : { format }),
    ...(questions === null ? {} : { questions }),
    ...(documents === null ? {} : { documents }),
    ...(seed === null ? {} : { seed }),
    ...(split.trim() === '' ? {} : { split: split.trim() }),
  }
}

function progressWords(step: ImportStep | null): string {
  if (step?.type !== 'progress') return WORDS.starting
  const read = bytesWords(step.bytes)
  return step.step === 'questions' ? WORDS.reading(read) : WORDS.writing(step.documents, read)
}

interface ImportDoneProps {
  step: Extract<ImportStep, { type: 'done' }>
  onClose: () => void
  onShow: () => void
}

/** Shows what was imported, and what was left out. */
function ImportDone({ step, onClose, onShow }: ImportDoneProps) {
  const { format, licence, questions, documents, left_out: leftOut } = step
  return (
    <div className="stack">
      <p role="status">● {WORDS.done(format, questions.taken, questions.of, documents.taken)}</p>
      {licence !== '' && <p>{WORDS.publishedLicence(format, licence)}</p>}
      {leftOut.length > 0 && (
        <>
          <p>{WORDS.leftOut}</p>
          <ul>
            {leftOut.map(({ count, reason }) => (
              <li key={reason}>{WORDS.leftOutLine(count, reason)}</li>
            ))}
          </ul>
        </>
      )}
      <div className="buttons">
        <Button onClick={onClose}>{WORDS.close}</Button>
        <Button variant="filled" onClick={onShow}>
          {WORDS.show}
        </Button>
      </div>
    </div>
  )
}
