import { ActionIcon } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/client.ts'
import { RUNS_WORDS as WORDS } from './runs-words.ts'
import { RUN_LISTS } from './use-runs.ts'

/** Marks a run, or takes the mark away. */
export function Star({ run: { run_id: id, note } }: { run: ListedRun }) {
  const save = useMutation(
    api.runs.annotate.mutationOptions({ meta: { failed: WORDS.detail.saving, refreshes: RUN_LISTS } }),
  )
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-pressed={note.starred}
      aria-label={note.starred ? WORDS.unstar(id) : WORDS.star(id)}
      onClick={() => save.mutate({ run_id: id, starred: !note.starred })}
    >
      <Icon name="star" filled={note.starred} />
    </ActionIcon>
  )
}
