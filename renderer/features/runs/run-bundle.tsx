import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogButton, DialogForm } from '../../components/dialog-form.tsx'
import { notifyDone } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import { RUNS_WORDS } from './runs-words.ts'
import { RUN_LISTS } from './use-runs.ts'

const WORDS = RUNS_WORDS.bundle

/** Opens the bundle of a run from a path of the engine's machine. */
export function ImportBundleButton() {
  const [source, setSource] = useState('')
  const run = useMutation(
    api.runs.importBundle.mutationOptions({
      onSuccess: ({ run_id: id }) => {
        setSource('')
        notifyDone(WORDS.imported(id))
      },
      meta: { refreshes: RUN_LISTS },
    }),
  )
  const { byField, rest } = problemsOf(run.error, ['source'])
  return (
    <DialogButton label={WORDS.import} title={WORDS.title}>
      {(close) => (
        <DialogForm
          submit={WORDS.import}
          cancel={WORDS.cancel}
          isReady={source.trim() !== ''}
          isPending={run.isPending}
          onCancel={close}
          onSubmit={() => run.mutate({ source: source.trim() }, { onSuccess: close })}
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
        </DialogForm>
      )}
    </DialogButton>
  )
}
