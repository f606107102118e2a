import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { DialogButton, DialogForm } from '../../components/dialog-form.tsx'
import { notifyDone } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

interface SaveWinnerProps {
  tuning: string
  suggestion: string
  /** Why the winner is no flavor; null where it can be saved. */
  notSaved: string | null
}

/** Keeps the winner as a flavor with a name. */
export function SaveWinner({ tuning, suggestion, notSaved }: SaveWinnerProps) {
  const [flavor, setFlavor] = useState(suggestion)
  const save = useMutation(api.tunings.saveFlavor.mutationOptions({ meta: { refreshes: [api.experiment.key()] } }))
  if (notSaved !== null) return <p className="dim">{notSaved}</p>
  return (
    <div className="row">
      <DialogButton label={WORDS.save} title={WORDS.saveTitle}>
        {(close) => (
          <DialogForm
            submit={WORDS.saveNow}
            isPending={save.isPending}
            onCancel={close}
            onSubmit={() =>
              save.mutate(
                { name: tuning, flavor },
                {
                  onSuccess: (lines) => {
                    close()
                    notifyDone(lines.join('. '))
                  },
                },
              )
            }
          >
            <p>{WORDS.saveAbout}</p>
            <TextInput
              label={WORDS.flavor}
              value={flavor}
              data-autofocus
              error={save.error === null ? undefined : controlErrorOf(save.error).message}
              onChange={({ currentTarget: { value } }) => setFlavor(value)}
            />
          </DialogForm>
        )}
      </DialogButton>
    </div>
  )
}
