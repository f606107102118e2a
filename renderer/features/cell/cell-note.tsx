import { Button, Checkbox, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CellNote } from '../../../contract/control/stored-runs.ts'
import { Form } from '../../components/dialog-form.tsx'
import { notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { CELL_WORDS } from './cell-words.ts'
import styles from './cell.module.css'

const WORDS = CELL_WORDS.note

const NO_NOTE: CellNote = { flagged: false, note: '' }

/** Shows what a person wrote about a cell, and its flag; kept apart from the evidence. */
export function CellNoteForm({ run, row }: { run: string; row: string }) {
  const { data } = useQuery(api.cells.notes.queryOptions({ input: { run_id: run } }))
  if (data === undefined) return null
  const kept = data.cells.find(({ row_id: id }) => id === row) ?? NO_NOTE
  return <NoteForm key={`${row} ${kept.note}`} {...{ run, row }} kept={kept} />
}

function NoteForm({ run, row, kept }: { run: string; row: string; kept: CellNote }) {
  const [text, setText] = useState(kept.note)
  const [flagged, setFlagged] = useState(kept.flagged)
  const client = useQueryClient()
  const save = useMutation(
    api.cells.annotate.mutationOptions({
      onSuccess: () => client.invalidateQueries({ queryKey: api.cells.notes.key() }),
      onError: (error) => {
        setFlagged(kept.flagged)
        notifyFailure(WORDS.saving, error)
      },
    }),
  )
  const keep = (note: CellNote): void => save.mutate({ run_id: run, row_id: row, ...note })
  return (
    <details open={kept.flagged || kept.note !== ''}>
      <summary>
        {WORDS.title}
        {flagged && ` ${WORDS.flag}`}
      </summary>
      <Form className={styles.note} onSubmit={() => keep({ flagged, note: text })}>
        <Checkbox
          label={WORDS.flagged}
          checked={flagged}
          onChange={({ currentTarget: { checked } }) => {
            setFlagged(checked)
            keep({ flagged: checked, note: kept.note })
          }}
        />
        <Textarea
          aria-label={WORDS.title}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={4000}
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <div>
          <Button type="submit" size="compact-sm" disabled={text === kept.note} loading={save.isPending}>
            {WORDS.save}
          </Button>
        </div>
      </Form>
    </details>
  )
}
