import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SecretName, type SettingsView } from '../../../contract/control/settings.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { desktop, DESKTOP_KEY, useDesktopInfo } from '../../data/desktop.ts'
import styles from './settings.module.css'

interface SecretFieldProps {
  name: SecretName
  source: SettingsView['secrets'][SecretName]
  isKept: boolean
}

function SecretField({ name, source, isKept }: SecretFieldProps) {
  const client = useQueryClient()
  const [value, setValue] = useState('')
  const save = useMutation(
    api.settings.update.mutationOptions({
      onSuccess: async (next) => {
        client.setQueryData(api.settings.get.queryKey(), next)
        setValue('')
        notifyDone(`${name.replaceAll('_', ' ')}: ${next.secrets[name] === 'session' ? 'set' : 'forgotten'}`)
        await client.invalidateQueries({ queryKey: DESKTOP_KEY })
      },
      onError: (error) => notifyFailure(name, error),
    }),
  )
  return (
    <div>
      <PasswordInput
        label={name.replaceAll('_', ' ')}
        description={secretPlace(source, isKept)}
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
          disabled={source !== 'session' && !isKept}
          onClick={() => save.mutate({ secrets: { [name]: null } })}
        >
          Forget
        </Button>
      </div>
    </div>
  )
}

/** Tokens: they go to the engine, in the desktop app into the system's secret store too, and never come back. */
export function SecretsPanel({ view }: { view: SettingsView }) {
  const { data: info } = useDesktopInfo()
  return (
    <Panel title="Tokens" aside={<span className="dim">never shown again, never written to a row</span>}>
      <p className={styles.lead}>{secretFate(desktop === null ? null : (info?.keeps_secrets ?? true))}</p>
      <div className={styles.fields}>
        {SecretName.options.map((name) => (
          <SecretField
            key={name}
            name={name}
            source={view.secrets[name]}
            isKept={info?.kept_secrets.includes(name) === true}
          />
        ))}
      </div>
      <EndSessions />
    </Panel>
  )
}

function EndSessions() {
  const end = useMutation(
    api.system.endSessions.mutationOptions({
      onSuccess: () => notifyDone('Every browser session has ended: a new link opens the panel again'),
      onError: (error) => notifyFailure('Ending the sessions', error),
    }),
  )
  return (
    <div className={styles.actions}>
      <Button variant="default" loading={end.isPending} onClick={() => end.mutate(undefined)}>
        End sessions
      </Button>
      <span className="dim">closes the panel in every browser that a link has opened, this one included</span>
    </div>
  )
}

/** Where a token is now: what the engine says of it, and whether the desktop app keeps it too. */
function secretPlace(source: SettingsView['secrets'][keyof SettingsView['secrets']], isKept: boolean): string {
  if (source === 'session') return isKept ? 'kept in this system’s secret store' : 'kept until the engine ends'
  if (isKept) return 'kept in this system’s secret store; the engine gets it when it starts next'
  return source === 'environment' ? 'from the environment' : 'not set'
}

/** What happens with a token that is set here. */
function secretFate(keepsSecrets: boolean | null): string {
  if (keepsSecrets === null)
    return 'From a browser a token goes to the engine only, which forgets it when it ends. The desktop app keeps tokens in the system’s secret store.'
  if (keepsSecrets)
    return 'The desktop app keeps a token encrypted by this system’s secret store and gives it to the engine whenever that starts.'
  return 'This system offers no secret store, so the engine forgets a token when it ends. Set it in the environment to have it at each start.'
}
