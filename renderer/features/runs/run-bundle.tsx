import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { notifyDone } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import { RUNS_WORDS } from './runs-words.ts'
import styles from './runs.module.css'
import { useRunsRefresh } from './use-runs.ts'

const WORDS = RUNS_WORDS.bundle

/** Opens the bundle of a run from a path of the engine's machine. */
export function ImportBundleButton() {
  const [isOpen, setOpen] = useState(false)
  const [source, setSource] = useState('')
  const refresh = useRunsRefresh()
  const run = useMutation(
    api.runs.importBundle.mutationOptions({
      onSuccess: async ({ run_id: id }) => {
        setOpen(false)
        setSource('')
        notifyDone(WORDS.imported(id))
        await refresh()
      },
    }),
  )
  const { byField, rest } = problemsOf(run.error, ['source'])
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.import}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.title} size="lg" centered>
        <form
          className={styles.notes}
          onSubmit={(event) => {
            event.preventDefault()
            run.mutate({ source: source.trim() })
          }}
        >
          <p>{WORDS.about}</p>
          <TextInput
            label={WORDS.source}
            description={WORDS.sourceAbout}
            value={source}
            error={byField['source'] ?? rest}
            onChange={({ currentTarget: { value } }) => {
              setSource(value)
              run.reset()
            }}
          />
          <div className={styles.actions}>
            <Button variant="default" onClick={() => setOpen(false)}>
              {WORDS.cancel}
            </Button>
            <Button type="submit" disabled={source.trim() === ''} loading={run.isPending}>
              {WORDS.import}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}
