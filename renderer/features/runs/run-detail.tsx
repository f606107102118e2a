import { Button, TextInput, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { Form } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { ConfirmButton } from '../../components/confirm-dialog.tsx'
import { notifyUndo } from '../../components/notify-undo.tsx'
import { api } from '../../data/client.ts'
import { RunAgain } from './run-again-button.tsx'
import { RunSettings } from './run-settings.tsx'
import { RUNS_WORDS } from './runs-words.ts'
import styles from './runs.module.css'
import { RUN_LISTS, useRestoreRun } from './use-runs.ts'

const WORDS = RUNS_WORDS.detail

/** Shows what can be done with a run, what a person wrote about it, and its settings. */
export function RunDetail({ run }: { run: ListedRun }) {
  const job = useQuery(api.runs.jobs.queryOptions()).data?.find(({ run_id: id }) => id === run.run_id)
  const id = run.run_id
  return (
    <div className={styles.detail}>
      <div className={styles.actions}>
        <RunAgain run={run} />
        <RemoveRun run={run} />
      </div>
      <div className={styles.halves}>
        <div>
          <NoteForm key={JSON.stringify(run.note)} run={run} />
          <CellNoteList run={id} />
        </div>
        <section aria-label={WORDS.settings}>
          <h3>{WORDS.settings}</h3>
          <RunSettings run={run} job={job} />
        </section>
      </div>
    </div>
  )
}

const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

function NoteForm({ run: { run_id: id, note } }: { run: ListedRun }) {
  const [draft, setDraft] = useState({ note: note.note, tags: note.tags.join(', ') })
  const field = formFields({ words: WORDS, draft, onChange: (part) => setDraft({ ...draft, ...part }) })
  const tags = tagsIn(draft.tags)
  const save = useMutation(api.runs.annotate.mutationOptions({ meta: { failed: WORDS.saving, refreshes: RUN_LISTS } }))
  const isSaved = draft.note === note.note && tags.join() === note.tags.join()
  return (
    <Form className="stack" onSubmit={() => save.mutate({ run_id: id, note: draft.note, tags })}>
      <h3>{WORDS.notes}</h3>
      <Textarea {...field.text('note')} autosize minRows={3} maxRows={12} maxLength={4000} />
      <TextInput {...field.text('tags')} />
      <div>
        <Button type="submit" disabled={isSaved} loading={save.isPending}>
          {WORDS.save}
        </Button>
      </div>
    </Form>
  )
}

/** Cells of the run with a flag or a note, each with its link. */
function CellNoteList({ run }: { run: string }) {
  const { cells } = useQuery(api.cells.notes.queryOptions({ input: { run_id: run } })).data ?? { cells: [] }
  if (cells.length === 0) return null
  return (
    <section className={styles.cellNotes} aria-label={WORDS.cellNotes}>
      <h3>{WORDS.cellNotes}</h3>
      <ul>
        {cells.map(({ row_id: row, flagged, note }) => (
          <li key={row}>
            {flagged && `${WORDS.flag} `}
            <Link to="/runs/$run/cell" params={{ run }} search={{ row }}>
              {note.trim() === '' ? WORDS.flaggedCell : note}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function RemoveRun({ run: { run_id: id, cells, datasets, kept } }: { run: ListedRun }) {
  const navigate = useNavigate({ from: '/runs' })
  const restore = useRestoreRun()
  const remove = useMutation(
    api.runs.remove.mutationOptions({
      onSuccess: ({ trash_id }) => {
        notifyUndo(RUNS_WORDS.remove.removed(id), RUNS_WORDS.remove.undo, () => restore.mutate({ trash_id }))
        void navigate({ search: ({ run: _run, ...search }) => search })
      },
      meta: { failed: RUNS_WORDS.remove.failed(id), refreshes: RUN_LISTS },
    }),
  )
  return (
    <ConfirmButton
      label={WORDS.delete}
      disabled={kept !== null}
      tooltip={kept === null ? undefined : WORDS.kept[kept]}
      title={RUNS_WORDS.remove.title(id)}
      confirm={RUNS_WORDS.remove.confirm}
      keep={RUNS_WORDS.remove.keep}
      loading={remove.isPending}
      onConfirm={() => remove.mutate({ run_id: id })}
    >
      <p>{RUNS_WORDS.remove.cells(cells.ok + cells.failed, datasets.length)}</p>
      <p className="dim">{RUNS_WORDS.remove.publishedStays}</p>
    </ConfirmButton>
  )
}
