import { Button, Checkbox, FileButton, Loader, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClipVerdict } from '../../../contract/http/speech.ts'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { FactTable } from '../../components/fact-table.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { RecordButton } from '../speech/record-button.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { cutSound, decodeSound, wavFile } from '../speech/sound-buffer.ts'
import type { PageSound } from '../speech/sound-buffer.ts'
import { addVoice, checkClip, type NewVoice as NewVoiceFields } from '../speech/speech-client.ts'
import styles from '../speech/speech.module.css'
import { Waveform } from '../speech/waveform.tsx'

/** Holds most sounds of English in about ten seconds. */
const TEXT_TO_READ =
  'The old ferry leaves the north harbour at seven, just as the church bells begin to ring. Five children watched it go, ' +
  'eating warm bread and yellow cheese, while their uncle measured how deep the water was beside the stone wall.'

/** One clip with all that was said of it, so that nothing of that is taken for the next clip. */
interface Take {
  blob: Blob
  sound: PageSound
  /** The chosen part, in seconds. */
  start: number
  end: number
  name: string
  license: string
  provenance: string
  consents: boolean
}

const UNSAID = { name: '', license: '', provenance: '', consents: false }

/** From a recording or file to a registered voice: trim, verdict, names, consent. */
export function NewVoice() {
  const client = useQueryClient()
  const [take, setTake] = useState<Take | null>(null)
  const reading = useMutation({
    mutationFn: async (blob: Blob): Promise<Take> => {
      const sound = await decodeSound(blob)
      const seconds = sound.samples.length / sound.sampleRate
      return { blob: wavFile(sound), sound, start: 0, end: seconds, ...UNSAID }
    },
    onSuccess: (next) => {
      setTake(next)
      check.reset()
      save.reset()
    },
  })
  const check = useMutation({ mutationFn: checkClip })
  const save = useMutation({
    mutationFn: (saved: Take) => addVoice(voiceOf(saved)),
    onSuccess: async ({ name }, { blob }) => {
      notifyDone(`The voice ${name} is registered`)
      // Not the next clip, which may have come meanwhile.
      setTake((now) => (now?.blob === blob ? null : now))
      await client.invalidateQueries({ queryKey: ['speech', 'voices'] })
    },
  })
  const change = (part: Partial<Take>): void => setTake((now) => now && { ...now, ...part })
  return (
    <Panel title="New voice">
      <p>Read this aloud, in a quiet room, at the pace of a conversation:</p>
      <p className={styles.read}>{TEXT_TO_READ}</p>
      <div className={styles.actions}>
        <RecordButton maxSeconds={RECORDED_SECONDS} label="Record" onRecorded={reading.mutate} />
        <FileButton accept="audio/*" onChange={(file) => file !== null && reading.mutate(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        {reading.isPending && (
          <span role="status">
            <Loader size="xs" /> Reading the clip …
          </span>
        )}
      </div>
      {reading.isError && <p role="alert">▲ {reading.error.message}</p>}
      {take !== null && (
        <div className={styles.stack}>
          <Waveform
            sound={take.blob}
            label="the clip"
            onTrim={(start, end) => {
              change({ start, end })
              check.reset()
            }}
          />
          <div className={styles.actions}>
            <Button variant="default" loading={check.isPending} onClick={() => check.mutate(clipOf(take))}>
              Check the clip
            </Button>
            <span className="dim">
              {(take.end - take.start).toFixed(1)} s chosen; 3 to {LONGEST_CLIP_SECONDS} s are needed. Drag the edges to
              trim.
            </span>
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
                    value={take[field]}
                    onChange={(event) => change({ [field]: event.currentTarget.value })}
                  />
                ))}
              </div>
              <Checkbox
                label="The speaker is me, or has agreed that this voice is imitated here."
                checked={take.consents}
                onChange={(event) => change({ consents: event.currentTarget.checked })}
              />
              <div className={styles.actions}>
                <ButtonWithReason
                  loading={save.isPending}
                  why={
                    take.name.trim() === ''
                      ? 'The voice needs a name.'
                      : take.consents
                        ? null
                        : 'Tick the consent above.'
                  }
                  onClick={() => save.mutate(take)}
                >
                  Save the voice
                </ButtonWithReason>
              </div>
              {save.isError && <ServiceFault error={save.error} service="tts" />}
            </>
          )}
        </div>
      )}
    </Panel>
  )
}

const clipOf = ({ sound, start, end }: Take): Blob => wavFile(cutSound(sound, start, end))

const voiceOf = (take: Take): NewVoiceFields => ({
  ...{ name: take.name, license: take.license, provenance: take.provenance, clip: clipOf(take) },
  consent: `Confirmed in the panel on ${new Date().toISOString()}: the speaker is the person at the panel or has agreed`,
})

/** Longest clip that can become a voice: the service refuses longer ones. */
export const LONGEST_CLIP_SECONDS = 30

/** A recording ends a moment after its limit has passed, and must be a clip that is taken even then. */
export const RECORDED_SECONDS = LONGEST_CLIP_SECONDS - 0.5

/** What was measured of a clip, and what is wrong with it. */
function VerdictView({ verdict }: { verdict: ClipVerdict }) {
  // A unit stays with its number, and a minus is a true one.
  const inUnit = (value: number, unit: string) => `${value.toFixed(1).replace('-', '−')}\u00a0${unit}`
  const measured: [string, string][] = [
    ['Length', inUnit(verdict.seconds, 's')],
    ['Level of the speech', inUnit(verdict.speech_level_db, 'dB')],
    ['Peak', inUnit(verdict.peak_db, 'dB')],
    ['At full scale', inUnit(100 * verdict.clipped_ratio, '%')],
    ['Silence', inUnit(100 * verdict.silent_ratio, '%')],
    ['Above the background', inUnit(verdict.signal_to_noise_db, 'dB')],
    ['Pitch, median', verdict.median_f0_hz === null ? '–' : inUnit(verdict.median_f0_hz, 'Hz')],
  ]
  return (
    <div role="status" aria-label="Verdict">
      <p>
        <strong>{verdict.ok ? '● This clip can become a voice' : '▲ This clip cannot become a voice'}</strong>
      </p>
      <ul className={styles.findings}>
        {verdict.findings.map(({ code, message, fatal }) => (
          <li key={code}>
            {fatal ? '▲' : '◐'} {message}
          </li>
        ))}
      </ul>
      <FactTable facts={measured} />
    </div>
  )
}
