import { Button, Modal, NumberInput, SegmentedControl, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ImportStep } from '../../../contract/control/dataset-transfer.ts'
import { api, control } from '../../data/client.ts'
import { datasetId } from '../documents/send-names.ts'
import { problemsOf } from '../documents/use-sending.ts'
import styles from './own-data.module.css'
import { bytesWords } from '../../../contract/words.ts'
import { OWN_WORDS } from './own-words.ts'
import { UploadZip } from './documents/upload-zip.tsx'
import { useDatasetRefresh } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.transfer

const EMPTY = { source: '', id: '', format: '', questions: '', documents: '', split: '', seed: '' }
type Draft = typeof EMPTY

/** The name of a path without its ending, as an id. */
const idOfPath = (path: string): string =>
  datasetId(
    path
      .replace(/[\\/]+$/, '')
      .replace(/^.*[\\/]/, '')
      .replace(/\.[^.]*$/, ''),
  )

/** Imports a public dataset or an exported zip file from a path of the engine's machine, or a zip file of the browser's. */
export function ImportDatasetButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.open}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.title} size="lg" centered>
        <ImportFrom onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function ImportFrom({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [from, setFrom] = useState<'path' | 'file'>('path')
  const show = (dataset: string): void => {
    onClose()
    void navigate({ to: '/datasets', search: { dataset, view: 'questions' } })
  }
  return (
    <div className={styles.form}>
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
  const refresh = useDatasetRefresh()
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
    onSuccess: () => refresh(),
  })
  const set = (part: Partial<Draft>): void => {
    setDraft({ ...draft, ...part })
    // The refusal is no longer of what the fields hold.
    if (run.isError) run.reset()
  }
  const { byField, rest } = problemsOf(run.error, ['source', 'id'])
  const chosen = formats.find(({ id }) => id === draft.format)
  if (run.isSuccess && step?.type === 'done')
    return <ImportDone step={step} onClose={onClose} onShow={() => onShow(step.id)} />
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        run.mutate()
      }}
    >
      <p>{WORDS.about}</p>
      <TextInput
        label={WORDS.source}
        description={WORDS.sourceAbout}
        placeholder={WORDS.sourceExample}
        data-autofocus
        value={draft.source}
        error={byField['source']}
        onChange={({ currentTarget: { value } }) =>
          set({ source: value, ...(draft.id === idOfPath(draft.source) ? { id: idOfPath(value) } : {}) })
        }
      />
      <TextInput
        label={OWN_WORDS.newDataset.id}
        description={OWN_WORDS.newDataset.idAbout}
        maxLength={63}
        value={draft.id}
        error={byField['id']}
        onChange={({ currentTarget: { value } }) => set({ id: value })}
      />
      <Select
        label={WORDS.format}
        description={chosen === undefined ? undefined : WORDS.expects(chosen.expects, chosen.licence)}
        data={[{ value: '', label: WORDS.byContent }, ...formats.map(({ id, label }) => ({ value: id, label }))]}
        value={draft.format}
        allowDeselect={false}
        onChange={(format) => set({ format: format ?? '' })}
      />
      <div className={styles.choose}>
        <NumberInput
          label={WORDS.questions}
          description={WORDS.questionsAbout}
          min={1}
          allowDecimal={false}
          value={draft.questions}
          onChange={(value) => set({ questions: String(value) })}
        />
        <NumberInput
          label={WORDS.documents}
          description={WORDS.documentsAbout}
          min={1}
          allowDecimal={false}
          value={draft.documents}
          onChange={(value) => set({ documents: String(value) })}
        />
        <NumberInput
          label={WORDS.seed}
          description={WORDS.seedAbout}
          min={0}
          allowDecimal={false}
          placeholder="0"
          value={draft.seed}
          onChange={(value) => set({ seed: String(value) })}
        />
        <TextInput
          label={WORDS.split}
          description={WORDS.splitAbout}
          value={draft.split}
          onChange={({ currentTarget: { value } }) => set({ split: value })}
        />
      </div>
      {rest !== null && <p role="alert">▲ {rest}</p>}
      {run.isPending && <p role="status">◐ {progressWords(step)}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={() => (run.isPending ? stop.current?.abort() : onClose())}>
          {run.isPending ? WORDS.stop : OWN_WORDS.newDataset.cancel}
        </Button>
        <Button type="submit" loading={run.isPending} disabled={draft.source.trim() === '' || draft.id === ''}>
          {WORDS.start}
        </Button>
      </div>
    </form>
  )
}

function inputOf({ source, id, format, questions, documents, split, seed }: Draft) {
  return {
    source: source.trim(),
    id,
    ...(format === '' ? {} : { format }),
    ...(questions === '' ? {} : { questions: Number(questions) }),
    ...(documents === '' ? {} : { documents: Number(documents) }),
    ...(seed === '' ? {} : { seed: Number(seed) }),
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
    <div className={styles.form}>
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
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {WORDS.close}
        </Button>
        <Button onClick={onShow}>{WORDS.show}</Button>
      </div>
    </div>
  )
}
