import { Checkbox, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { addSpeaker } from './speaker-client.ts'
import styles from './speakers.module.css'
import { useSpeakerChanges } from './use-speakers.ts'
import { SPEAKERS_WORDS } from './speakers-words.ts'

const WORDS = SPEAKERS_WORDS.newSpeaker

/** Name and consent; the sentences open as soon as the speaker is enrolled. `isBusy`: another speaker’s recording is under way and would be dropped. */
export function NewSpeaker({ isBusy }: { isBusy: boolean }) {
  const navigate = useNavigate({ from: '/speech' })
  const { refresh } = useSpeakerChanges()
  const [name, setName] = useState('')
  const [consents, setConsents] = useState(false)
  const adding = useMutation({
    mutationFn: addSpeaker,
    onSuccess: async ({ id }) => {
      setName('')
      setConsents(false)
      await refresh()
      await navigate({ search: { reader: id }, replace: true })
    },
  })
  const why = isBusy
    ? WORDS.otherRecording
    : name.trim() === ''
      ? WORDS.needsName
      : consents
        ? null
        : WORDS.needsConsent
  return (
    <form
      className={styles.enrol}
      onSubmit={(event) => {
        event.preventDefault()
        const consent = WORDS.consentRecord(new Date().toISOString())
        adding.mutate({ name: name.trim(), consent })
      }}
    >
      <TextInput
        label={WORDS.name}
        w="100%"
        maw={360}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label={WORDS.consent}
        checked={consents}
        onChange={(event) => setConsents(event.currentTarget.checked)}
      />
      <div className={styles.facts}>
        <ButtonWithReason type="submit" loading={adding.isPending} why={why}>
          {WORDS.enrolTheSpeaker}
        </ButtonWithReason>
      </div>
      {adding.isError && <ServiceFault error={adding.error} service="stt" />}
    </form>
  )
}
