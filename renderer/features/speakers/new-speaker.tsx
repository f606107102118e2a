import { Checkbox, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { addSpeaker } from './speaker-client.ts'
import styles from './speakers.module.css'
import { useSpeakerChanges } from './use-speakers.ts'

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
    ? 'A sentence of another speaker is being recorded.'
    : name.trim() === ''
      ? 'The speaker needs a name.'
      : consents
        ? null
        : 'Tick the consent above.'
  return (
    <form
      className={styles.enrol}
      onSubmit={(event) => {
        event.preventDefault()
        const consent = `Confirmed in the panel on ${new Date().toISOString()}: the speaker is the person at the panel or has agreed`
        adding.mutate({ name: name.trim(), consent })
      }}
    >
      <TextInput
        label="Name of the speaker"
        w="100%"
        maw={360}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label="The speaker is me, or has agreed that recordings of the sentences, and a model made of them, are kept until the speaker is deleted here."
        checked={consents}
        onChange={(event) => setConsents(event.currentTarget.checked)}
      />
      <div className={styles.facts}>
        <ButtonWithReason type="submit" loading={adding.isPending} why={why}>
          Enrol the speaker
        </ButtonWithReason>
      </div>
      {adding.isError && <ServiceFault error={adding.error} service="stt" />}
    </form>
  )
}
