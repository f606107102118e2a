import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormButton } from '../../components/dialog-form.tsx'
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
      <FormButton
        words={{ open: WORDS.save, title: WORDS.saveTitle, confirm: WORDS.saveNow }}
        action={save}
        onSubmit={(close) =>
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
          onChange={({ currentTarget: { value } }) => setFlavor(value)}
        />
      </FormButton>
    </div>
  )
}
