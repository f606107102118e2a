import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { notifyDone } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

interface SaveWinnerProps {
  tuning: string
  suggestion: string
  /** Why the winner is no flavor; null where it can be saved. */
  notSaved: string | null
}

/** Keeps the winner as a flavor with a name. */
export function SaveWinner({ tuning, suggestion, notSaved }: SaveWinnerProps) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [flavor, setFlavor] = useState(suggestion)
  const save = useMutation(
    api.tunings.saveFlavor.mutationOptions({
      onSuccess: async (lines) => {
        await client.invalidateQueries({ queryKey: api.experiment.key() })
        setOpen(false)
        notifyDone(lines.join('. '))
      },
    }),
  )
  if (notSaved !== null) return <p className="dim">{notSaved}</p>
  return (
    <div className={styles.actions}>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.save}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.saveTitle}>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            save.mutate({ name: tuning, flavor })
          }}
        >
          <p>{WORDS.saveAbout}</p>
          <TextInput
            label={WORDS.flavor}
            value={flavor}
            data-autofocus
            error={save.error === null ? undefined : controlErrorOf(save.error).message}
            onChange={({ currentTarget: { value } }) => setFlavor(value)}
          />
          <div className={styles.actions}>
            <Button type="submit" loading={save.isPending}>
              {WORDS.saveNow}
            </Button>
            <Button variant="default" onClick={() => setOpen(false)}>
              {WORDS.cancel}
            </Button>
          </div>
        </form>
      </Modal>
    </div>
  )
}
