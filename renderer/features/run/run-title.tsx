import { ActionIcon, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { Form } from '../../components/dialog-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/client.ts'
import { RUN_LISTS } from '../runs/use-runs.ts'
import { RUN_WORDS } from './run-words.ts'
import styles from './run.module.css'

const WORDS = RUN_WORDS.rename

/** The run's label, else its id, as the headline; a person changes the label in its place. */
export function RunTitle({ run, listed }: { run: string; listed: ListedRun | undefined }) {
  const label = listed?.note.label ?? ''
  const [draft, setDraft] = useState<string | null>(null)
  const [wasOpen, setWasOpen] = useState(false)
  const save = useMutation(
    api.runs.annotate.mutationOptions({
      onSuccess: () => setDraft(null),
      meta: { failed: WORDS.saving, refreshes: RUN_LISTS },
    }),
  )
  if (draft !== null)
    return (
      <Form
        label={WORDS.rename}
        className={styles.rename}
        onSubmit={() => save.mutate({ run_id: run, label: draft.trim() === run ? '' : draft })}
      >
        <TextInput
          autoFocus
          size="xs"
          aria-label={WORDS.label}
          placeholder={run}
          maxLength={80}
          value={draft}
          onChange={({ currentTarget: { value } }) => setDraft(value)}
          onKeyDown={({ key }) => key === 'Escape' && setDraft(null)}
        />
        <Button type="submit" loading={save.isPending}>
          {WORDS.save}
        </Button>
      </Form>
    )
  return (
    <>
      <h1>{label === '' ? run : label}</h1>
      {listed !== undefined && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={WORDS.renameRun(run)}
          // The keyboard goes on from where the form was.
          autoFocus={wasOpen}
          onClick={() => {
            setWasOpen(true)
            setDraft(label === '' ? run : label)
          }}
        >
          <Icon name="edit" />
        </ActionIcon>
      )}
      {label !== '' && <span className="dim">{run}</span>}
    </>
  )
}
