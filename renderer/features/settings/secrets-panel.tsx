import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SecretName, type SettingsView } from '../../../contract/control/settings.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './settings.module.css'

const WORDS: Record<string, string> = {
  unset: 'not set',
  environment: 'from the environment',
  session: 'kept until the engine ends',
}

function SecretField({ name, state }: { name: SecretName; state: string }) {
  const client = useQueryClient()
  const [value, setValue] = useState('')
  const save = useMutation(
    api.settings.update.mutationOptions({
      onSuccess: (next) => {
        client.setQueryData(api.settings.get.queryKey(), next)
        setValue('')
        notifyDone(`${name.replaceAll('_', ' ')}: ${WORDS[next.secrets[name]] ?? ''}`)
      },
      onError: (error) => notifyFailure(name, error),
    }),
  )
  return (
    <div>
      <PasswordInput
        label={name.replaceAll('_', ' ')}
        description={WORDS[state] ?? state}
        value={value}
        autoComplete="off"
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <div className={styles.actions}>
        <Button variant="default" disabled={value === ''} onClick={() => save.mutate({ secrets: { [name]: value } })}>
          Keep
        </Button>
        <Button
          variant="default"
          disabled={state !== 'session'}
          onClick={() => save.mutate({ secrets: { [name]: null } })}
        >
          Forget
        </Button>
      </div>
    </div>
  )
}

/** Tokens: they go to the engine and never come back. */
export function SecretsPanel({ view }: { view: SettingsView }) {
  return (
    <Panel title="Tokens" aside="never shown again, never written to a row">
      <div className={styles.fields}>
        {SecretName.options.map((name) => (
          <SecretField key={name} name={name} state={view.secrets[name]} />
        ))}
      </div>
    </Panel>
  )
}
