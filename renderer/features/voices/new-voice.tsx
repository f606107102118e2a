import { Button, Checkbox, FileButton, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { notifyDone } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { RecordButton } from '../speech/record-button.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { cutSound, decodeSound, wavFile } from '../speech/sound-buffer.ts'
import type { PageSound } from '../speech/sound-buffer.ts'
import { addVoice, checkClip } from '../speech/speech-client.ts'
import styles from '../speech/speech.module.css'
import { Waveform } from '../speech/waveform.tsx'
import { VerdictView } from './verdict-view.tsx'

const MAX_CLIP_SECONDS = 30

/** Holds most sounds of English in about ten seconds. */
const TEXT_TO_READ =
  'The old ferry leaves the north harbour at seven, just as the church bells begin to ring. Five children watched it go, ' +
  'eating warm bread and yellow cheese, while their uncle measured how deep the water was beside the stone wall.'

/** From a recording or file to a registered voice: trim, verdict, names, consent. */
export function NewVoice() {
  const client = useQueryClient()
  const [take, setTake] = useState<{ blob: Blob; sound: PageSound } | null>(null)
  const [trim, setTrim] = useState<{ start: number; end: number } | null>(null)
  const [details, setDetails] = useState({ name: '', license: '', provenance: '' })
  const [consents, setConsents] = useState(false)
  const reading = useMutation({
    mutationFn: async (blob: Blob) => {
      const sound = await decodeSound(blob)
      return { blob: wavFile(sound), sound }
    },
    onSuccess: setTake,
    onMutate: () => check.reset(),
  })
  const check = useMutation({ mutationFn: checkClip })
  const save = useMutation({
    mutationFn: addVoice,
    onSuccess: async ({ name }) => {
      notifyDone(`The voice ${name} is registered`)
      setTake(null)
      setConsents(false)
      setDetails({ name: '', license: '', provenance: '' })
      check.reset()
      await client.invalidateQueries({ queryKey: ['speech', 'voices'] })
    },
  })
  const clip = (): Blob => wavFile(trim === null ? take!.sound : cutSound(take!.sound, trim.start, trim.end))
  const seconds = trim === null ? 0 : trim.end - trim.start
  return (
    <Panel title="New voice">
      <p>Read this aloud, in a quiet room, at the pace of a conversation:</p>
      <p className={styles.read}>{TEXT_TO_READ}</p>
      <div className={styles.actions}>
        <RecordButton maxSeconds={MAX_CLIP_SECONDS} label="Record" onRecorded={reading.mutate} />
        <FileButton accept="audio/*" onChange={(file) => file !== null && reading.mutate(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </div>
      {reading.isError && <p role="alert">▲ {reading.error.message}</p>}
      {take !== null && (
        <div className={styles.stack}>
          <Waveform
            sound={take.blob}
            label="the clip"
            onTrim={(start, end) => {
              setTrim({ start, end })
              check.reset()
            }}
          />
          <div className={styles.actions}>
            <Button variant="default" loading={check.isPending} onClick={() => check.mutate(clip())}>
              Check the clip
            </Button>
            <span className="dim">{seconds.toFixed(1)} s chosen; 3 to 30 s are needed. Drag the edges to trim.</span>
          </div>
          {check.isError && <ServiceFault error={check.error} service="tts" />}
          {check.data !== undefined && <VerdictView verdict={check.data} />}
          {check.data?.ok === true && (
            <>
              <div className={styles.fields}>
                {(['name', 'license', 'provenance'] as const).map((field) => (
                  <TextInput
                    key={field}
                    label={{ name: 'Name', license: 'Licence of the clip', provenance: 'Where it comes from' }[field]}
                    required={field === 'name'}
                    maxLength={field === 'name' ? 100 : 2000}
                    value={details[field]}
                    onChange={(event) => setDetails({ ...details, [field]: event.currentTarget.value })}
                  />
                ))}
              </div>
              <Checkbox
                label="The speaker is me, or has agreed that this voice is imitated here."
                checked={consents}
                onChange={(event) => setConsents(event.currentTarget.checked)}
              />
              <div className={styles.actions}>
                <Button
                  loading={save.isPending}
                  disabled={!consents || details.name.trim() === ''}
                  onClick={() =>
                    save.mutate({
                      ...details,
                      consent: `Confirmed in the panel on ${new Date().toISOString()}: the speaker is the person at the panel or has agreed`,
                      clip: clip(),
                    })
                  }
                >
                  Save the voice
                </Button>
              </div>
              {save.isError && <ServiceFault error={save.error} service="tts" />}
            </>
          )}
        </div>
      )}
    </Panel>
  )
}
