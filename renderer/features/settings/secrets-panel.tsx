import { Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { SecretName, type SettingsView } from '../../../contract/control/settings.ts'
import { notifyDone } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { desktop, DESKTOP_KEY, useDesktopInfo } from '../../data/desktop.ts'
import styles from './settings.module.css'
import { SETTINGS_WORDS } from './settings-words.ts'

const WORDS = SETTINGS_WORDS.secretsPanel

interface SecretFieldProps {
  name: SecretName
  source: SettingsView['secrets'][SecretName]
  isKept: boolean
}

function SecretField({ name, source, isKept }: SecretFieldProps) {
  const [value, setValue] = useState('')
  const save = useMutation(
    api.settings.update.mutationOptions({
      meta: { failed: name, returns: api.settings.get.queryKey(), refreshes: [DESKTOP_KEY] },
      onSuccess: (next) => {
        setValue('')
        notifyDone(`${name.replaceAll('_', ' ')}: ${next.secrets[name] === 'session' ? 'set' : 'forgotten'}`)
      },
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
        <Button disabled={value === ''} onClick={() => save.mutate({ secrets: { [name]: value } })}>
          {WORDS.keep}
        </Button>
        <Button disabled={source !== 'session' && !isKept} onClick={() => save.mutate({ secrets: { [name]: null } })}>
          {WORDS.forget}
        </Button>
      </div>
    </div>
  )
}

/** Tokens: they go to the engine, in the desktop app into the system's secret store too, and never come back. */
export function SecretsPanel({ view }: { view: SettingsView }) {
  const { data: info } = useDesktopInfo()
  return (
    <Panel title={WORDS.tokens} aside={<span className="dim">{WORDS.tokensAbout}</span>}>
      <p className={styles.lead}>{secretFate(desktop === null ? null : (info?.keeps_secrets ?? true))}</p>
      <div className="fields">
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
    api.system.endSessions.mutationOptions({ meta: { failed: WORDS.endingTheSessions, done: WORDS.sessionsEnded } }),
  )
  return (
    <div className={styles.actions}>
      <Button loading={end.isPending} onClick={() => end.mutate(undefined)}>
        {WORDS.endSessions}
      </Button>
      <span className="dim">{WORDS.endAbout}</span>
    </div>
  )
}

/** Returns where a token is now: what the engine reports about it, and whether the desktop app keeps it too. */
function secretPlace(source: SettingsView['secrets'][keyof SettingsView['secrets']], isKept: boolean): string {
  if (source === 'session') return isKept ? WORDS.keptInStore : WORDS.keptUntilEnd
  if (isKept) return WORDS.keptForNextStart
  return source === 'environment' ? WORDS.fromTheEnvironment : WORDS.notSet
}

/** Returns what happens with a token that is set here. */
function secretFate(keepsSecrets: boolean | null): string {
  if (keepsSecrets === null) return WORDS.fromBrowser
  if (keepsSecrets) return WORDS.fromDesktop
  return WORDS.noStore
}
